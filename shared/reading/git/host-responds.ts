import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import { type GitHost, tokenSetting } from '../../schemas/git-host.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import type { GitAccess } from './git-access.ts'
import { gitRequest } from './git-request.ts'
import { probeSsh } from './probe-ssh.ts'
import type { ProbeOptions } from './remote.ts'

/** Requests the address of a host. Sends no token, and over ssh uses the key. Returns null if it responds, also with a refusal. Throws provider_unavailable, timeout. */
export async function hostResponds(
  gitHost: GitHost,
  options: GitAccess & { timeMs: number; signal: AbortSignal },
): Promise<null> {
  const { baseUrl, ca } = gitHost
  if (isSsh(baseUrl)) return sshResponds(gitHost, options)
  const { host } = new URL(baseUrl)
  const connections = await openConnections({ ...options, ca }, options.timeMs)
  const tooSlow = AbortSignal.timeout(options.timeMs)
  try {
    const signal = AbortSignal.any([options.signal, tooSlow])
    const { status } = await gitRequest(`${baseUrl}/`, { connections, headers: {}, signal })
    if (status >= 500) throw new AppError('provider_unavailable', `${host} responded with status ${status}.`)
    return null
  } catch (error) {
    if (!tooSlow.aborted || options.signal.aborted) throw error
    throw new AppError('timeout', `The host ${host} did not respond within ${options.timeMs / 1000} s.`, { cause: error })
  } finally {
    connections.close()
  }
}

/** The key and the host key are right if the host says that there is no repository of this name. */
async function sshResponds({ kind: platform, baseUrl, ...host }: GitHost, options: ProbeOptions): Promise<null> {
  if (options.token === undefined) throw new AppError('not_configured', `Save a private key as ${tokenSetting(host.name)}.`)
  const url = `${baseUrl}/carrel/connection-test.git`
  const id = { owner: 'carrel', repo: 'connection-test' }
  const address = { platform, host, id, baseUrl, webUrl: url, cloneUrl: url }
  await probeSsh(address, options).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  })
  return null
}
