import { AppError } from '../../shared/errors.ts'
import { allowedUrl, type HostRules } from '../../shared/network/allowed-hosts.ts'
import { connectionError, openConnections } from '../../shared/network/connections.ts'
import type { Network } from '../../shared/network/network.ts'
import { isLoopbackHost } from '../../shared/network/private-address.ts'
import { issuerPresets, type SsoIssuer } from '../../shared/schemas/sso-issuer.ts'

type Request = { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal | undefined }

/** A token with ten thousand groups has less than one. */
const maxAnswerBytes = 4 * 1024 * 1024
const maxMs = 5_000

/**
 * Sends the requests of one issuer: only to the host of the issuer and to those that its entry lists, with the operator's proxy and certificates, following no
 * redirect.
 */
export function issuerFetch(entry: Pick<SsoIssuer, 'issuer' | 'kind' | 'hosts'>, network: Network) {
  const rules = rulesOf(entry)
  return async (address: string, { method, headers, body, signal }: Request): Promise<Response> => {
    const url = allowedUrl(address, rules).href
    const connections = await openConnections(network, maxMs)
    const late = AbortSignal.timeout(maxMs)
    try {
      const sent = body instanceof URLSearchParams ? String(body) : (body as string | Uint8Array | null | undefined)
      const answer = await connections.request(url, {
        method: method as 'GET',
        headers: { ...headers, 'user-agent': 'carrel' },
        body: sent ?? null,
        signal: signal ? AbortSignal.any([signal, late]) : late,
        dispatcher: connections.dispatcherFor(url),
      })
      const chunks: Uint8Array[] = []
      let sizeBytes = 0
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        sizeBytes += chunk.length
        if (sizeBytes > maxAnswerBytes) throw new AppError('provider_unavailable', `${new URL(url).host} sent too much.`)
        chunks.push(chunk)
      }
      const type = answer.headers['content-type']
      const text = Buffer.concat(chunks)
      return new Response(isEmpty(answer.statusCode) ? null : text, {
        status: answer.statusCode,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      })
    } catch (error) {
      throw late.aborted
        ? new DOMException('The issuer did not respond in time.', 'TimeoutError')
        : connectionError(new URL(url).host, error)
    } finally {
      connections.close()
    }
  }
}

function rulesOf({ issuer, kind, hosts = [] }: Pick<SsoIssuer, 'issuer' | 'kind' | 'hosts'>): HostRules {
  const { host, hostname } = new URL(issuer)
  const allowed = [host, ...issuerPresets[kind].hosts, ...hosts]
  return {
    allowedHosts: () => allowed,
    mayBePrivate: true,
    httpsOnly: !isLoopbackHost(hostname),
    unlisted: 'An admin can add it to the hosts of the issuer in sso.issuers.',
  }
}

const isEmpty = (status: number): boolean => status === 204 || status === 304
