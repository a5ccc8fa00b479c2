import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import type { Network } from '../../network/network.ts'
import type { GitHost } from '../../schemas/git-host.ts'
import { gitRequest } from './git-request.ts'

/** Requests the address of a host. Sends no token. Returns null if it responds, also with a refusal. Throws provider_unavailable, timeout. */
export async function hostResponds(
  { baseUrl, ca }: GitHost,
  options: Network & { timeMs: number; signal: AbortSignal },
): Promise<null> {
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
