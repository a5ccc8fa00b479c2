import { type GitHost, tokenSetting } from '../../schemas/git-host.ts'
import { isPrivateKey } from '../../schemas/private-key.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import type { GithubApp } from './github-app.ts'

type SecretsPort = { getSecret(name: ReturnType<typeof tokenSetting>): string | undefined }

/** The token of a host, or the deploy key of one that is read by ssh. The key of a GitHub App is sent nowhere. */
export function tokenOf(
  settings: SecretsPort & { get(name: 'git.hosts'): readonly GitHost[] },
  host: string,
): string | undefined {
  const secret = settings.getSecret(tokenSetting(host))
  const isOverSsh = settings.get('git.hosts').some(({ name, baseUrl }) => name === host && isSsh(baseUrl))
  return secret !== undefined && isPrivateKey(secret) && !isOverSsh ? undefined : secret
}

/** The app that a host is read as: its id with the private key that is stored as its secret. */
export function appOf(settings: SecretsPort, { name, appId }: Pick<GitHost, 'name' | 'appId'>): GithubApp | undefined {
  const privateKey = appId === undefined ? undefined : settings.getSecret(tokenSetting(name))
  return appId !== undefined && privateKey !== undefined && isPrivateKey(privateKey) ? { id: appId, privateKey } : undefined
}
