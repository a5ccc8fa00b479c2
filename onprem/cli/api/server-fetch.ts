import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../shared/errors.ts'

const notResponding = { isNotResponding: true }

/** True for the error of a server that has stopped, or does so during the request. */
export const isNotResponding = (error: unknown): boolean => error instanceof AppError && error.fields === notResponding

/**
 * Fetches from a server on this machine. Unlike the global `fetch`, it never uses a proxy of the environment, which would see the token, and
 * waits for the answer to a large upload as long as it takes. Throws command_failed if the server does not respond.
 */
export function serverFetch(): { fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>; close(): void } {
  const agent = new Agent({ keepAlive: true })
  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      try {
        return asResponse(await exchange(request, agent))
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason
        throw new AppError('command_failed', `The server at ${new URL(request.url).origin} does not respond. Is it stopping?`, {
          cause: error,
          fields: notResponding,
        })
      }
    },
    close: () => agent.destroy(),
  }
}

function exchange(request: Request, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, signal, url } = request
    // With PUBLIC_URL, a server does not accept the name in its own HOST.
    const headers = { ...Object.fromEntries(request.headers), host: 'localhost' }
    const sent = httpRequest(url, { method, agent, signal, headers })
    sent.once('response', resolve).once('error', reject)
    if (!request.body) return void sent.end()
    // A server that rejects an upload responds before it has read all of it, so the error of the upload may be ignored then.
    pipeline(Readable.fromWeb(request.body), sent).catch(reject)
  })
}

function asResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = message
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  const body = [101, 204, 205, 304].includes(status) ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>)
  return new Response(body, { status, headers: pairs })
}
