import { devNull } from 'node:os'
import { type Network, proxyVariables } from '../../network/network.ts'
import { isLoopbackHost } from '../../schemas/base-url.ts'
import type { RepoAddress } from './repo-address.ts'

/** How this machine reaches the host of a repository. */
export type GitAccess = Network & {
  /** Sent to the repository's own host, and only where it refuses to answer without one. */
  token?: string
}

/** What git may take in one piece. */
export const allocationMb = 600

/** The proxy variables that count for a repository: none for a host on this machine. */
export function proxyEnv({ baseUrl }: RepoAddress, access: GitAccess): Record<string, string> {
  return isLoopbackHost(new URL(baseUrl).hostname) ? {} : proxyVariables(access)
}

export function authorization({ platform }: Pick<RepoAddress, 'platform'>, token: string): string {
  const user = platform === 'github' ? 'x-access-token' : 'oauth2'
  return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
}

/**
 * All that a git process knows of the world: no configuration file of this machine, no prompt, hook, filter or helper, one protocol, and
 * the header with the token for this one repository's address. Nothing of it stands in an argument list or on disk.
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
    ['protocol.version', '2'],
    ['http.followRedirects', 'false'],
    // A git whose parent was killed ends by itself once its host falls silent.
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
    // Each may hold as much as GIT_ALLOC_LIMIT lets it.
    ['pack.threads', '2'],
  ]
  if (!isPublic && access.token !== undefined) {
    config.push([`http.${address.cloneUrl}.extraHeader`, `Authorization: ${authorization(address, access.token)}`])
  }
  return {
    ...proxyEnv(address, access),
    PATH: access.env.PATH ?? '',
    HOME: home,
    LC_ALL: 'C',
    // Kilobytes of a pack can ask for gigabytes at once. Honest servers make no deltas of files above 512 MB (core.bigFileThreshold).
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
