import { unlessAborted } from '../unless-aborted.ts'
import { isRequest } from './read-messages.ts'
import { mcpError } from './refusal.ts'

/** The time in which a request must be answered. */
export type AnswerDeadline = {
  /** Aborts when the time is over. */
  signal: AbortSignal
  answered(id: unknown): void
  /** The response of the work. When the time is over, each request without an answer gets a JSON-RPC error, and the response ends. */
  keep(work: () => Promise<Response>): Promise<Response>
}

export function answerDeadline(messages: unknown, maxMs: number): AnswerDeadline {
  const unanswered = new Set([messages].flat().flatMap((message) => (isRequest(message) ? [message.id] : [])))
  const late = new AbortController()
  const message = `The answer took longer than ${maxMs / 1000} seconds. Ask a shorter question, or ask again later.`
  const timer = setTimeout(() => late.abort(new Error(message)), maxMs)
  const errors = () => [...unanswered].map((id) => ({ jsonrpc: '2.0', error: { code: timeoutCode, message }, id }))
  const lastWords = () =>
    errors()
      .map((error) => `event: message\ndata: ${JSON.stringify(error)}\n\n`)
      .join('')
  return {
    signal: late.signal,
    answered: (id) => void unanswered.delete(id),
    async keep(work) {
      try {
        const response = await unlessAborted(work(), late.signal)
        if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
          clearTimeout(timer)
          return response
        }
        const body = endedAt(late.signal, response.body, { lastWords, onEnd: () => clearTimeout(timer) })
        return new Response(body, response)
      } catch (error) {
        clearTimeout(timer)
        if (!late.signal.aborted) throw error
        const [id] = unanswered
        return mcpError(504, timeoutCode, message, id)
      }
    },
  }
}

const timeoutCode = -32000

type Ending = { lastWords(): string; onEnd(): void }

/** A stream of events that ends when the signal aborts, with `lastWords`. */
function endedAt(signal: AbortSignal, events: ReadableStream<Uint8Array>, { lastWords, onEnd }: Ending) {
  const reader = events.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await unlessAborted(reader.read(), signal)
        if (!done) return controller.enqueue(value)
      } catch (error) {
        if (!signal.aborted) throw error
        controller.enqueue(new TextEncoder().encode(lastWords()))
        void reader.cancel().catch(() => undefined)
      }
      onEnd()
      controller.close()
    },
    cancel(reason) {
      onEnd()
      return reader.cancel(reason)
    },
  })
}
