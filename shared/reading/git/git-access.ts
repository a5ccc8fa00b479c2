import { devNull } from 'node:os'
import type { Network } from '../../network/network.ts'
import { isLoopbackHost } from '../../network/private-address.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import { gitProxy } from './git-proxy.ts'
import { platformPaths } from './platform-paths.ts'
import type { RepoAddress } from './repo-address.ts'

/** The settings to reach the host of a repository. */
export type GitAccess = Network & {
  /** The token is sent only to the repository's own host, and only if the host rejects a request without it. */
  token?: string
  /** The folder of the files of running ssh connections; that of the machine if absent. */
  sshFolder?: string
}

/** The network as the host of a repository is reached: with the certificates that its settings trust. */
export const networkOf = ({ host }: Pick<RepoAddress, 'host'>, { env, caFile }: Network): Network => ({
  env,
  caFile,
  ca: host.ca,
})

/** Largest single allocation of git. */
export const allocationMb = 600

/** Nothing listens here, so git reaches no address but the repository's, whatever the host tells it to fetch. */
const deadProxy = 'http://127.0.0.1:1'

export function authorization({ platform, host }: Pick<RepoAddress, 'platform' | 'host'>, token: string): string {
  const user = host.user ?? platformPaths[platform].tokenUser
  if (user === undefined) return `Bearer ${token}`
  return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
}

/** Texts that no message may hold. */
export function tokenSecrets(address: Pick<RepoAddress, 'platform' | 'host'>, token: string | undefined): string[] {
  return token ? [authorization(address, token).replace(/^\w+ /, ''), token] : []
}

/**
 * The complete environment of a git process: no configuration files of this machine, no prompts, hooks, filters or helpers, one protocol, no
 * address but this repository's, and the token header for that address only. Neither the token nor the password of a proxy is in an argument
 * list or on disk. NO_PROXY is not passed on: git would apply it to other hosts, too.
 */
export function gitEnvironment(
  { address, isPublic }: { address: RepoAddress; isPublic: boolean },
  access: GitAccess,
  { home, caBundle, idleMs }: { home: string; caBundle: string | undefined; idleMs: number },
): Record<string, string> {
  const isLocal = isLoopbackHost(new URL(address.baseUrl).hostname)
  const config: [string, string][] = [
    ['protocol.allow', 'never'],
    ['protocol.https.allow', 'always'],
    ['protocol.http.allow', isLocal ? 'always' : 'never'],
    ['protocol.ssh.allow', isSsh(address.cloneUrl) ? 'always' : 'never'],
    ['protocol.version', '2'],
    ['http.followRedirects', 'false'],
    ['http.proxy', deadProxy],
    [`http.${address.cloneUrl}.proxy`, isSsh(address.cloneUrl) ? deadProxy : (gitProxy(address, access)?.setting ?? '')],
    // git would otherwise ask for the password after a first request without it.
    ['http.proxyAuthMethod', 'basic'],
    ['fetch.uriProtocols', ''],
    ['transfer.bundleURI', 'false'],
    // Ends a git process whose parent was killed when its host stops sending.
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', String(Math.ceil(idleMs / 1000) + 5)],
    ['credential.helper', ''],
    ['core.hooksPath', devNull],
    ['core.attributesFile', devNull],
    ['core.fsmonitor', 'false'],
    ['core.protectHFS', 'true'],
    ['core.protectNTFS', 'true'],
    ['core.bigFileThreshold', '16m'],
    ['fetch.recurseSubmodules', 'false'],
    ['fetch.unpackLimit', '1'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    // Each thread may allocate GIT_ALLOC_LIMIT.
    ['pack.threads', '2'],
  ]
  if (!isPublic && access.token !== undefined && !isSsh(address.cloneUrl)) {
    config.push([`http.${address.cloneUrl}.extraHeader`, `Authorization: ${authorization(address, access.token)}`])
  }
  return {
    PATH: access.env.PATH ?? '',
    HOME: home,
    LC_ALL: 'C',
    // A pack of kilobytes can request gigabytes in one allocation. Real servers make no deltas of files above 512 MB (core.bigFileThreshold).
    GIT_ALLOC_LIMIT: `${allocationMb}m`,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    ...(caBundle === undefined ? {} : { GIT_SSL_CAINFO: caBundle }),
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], n) => [
        [`GIT_CONFIG_KEY_${n}`, key],
        [`GIT_CONFIG_VALUE_${n}`, value],
      ]),
    ),
  }
}
