import { mcpError } from '../http/error-response.ts'
import { unlessAborted } from '../time/unless-aborted.ts'
import { isRequest } from './read-messages.ts'
import { hasEvents } from './rewrite-messages.ts'

/** A time limit for a request. */
export type AnswerDeadline = {
  /** Aborts at the deadline. */
  signal: AbortSignal
  /** Called with the JSON of each message in the response. */
  noteAnswer(json: string): void
  /** The response of the work. At the deadline, each request without an answer gets a JSON-RPC error, and the response ends. */
  within(work: () => Promise<Response>): Promise<Response>
}

export function answerDeadline(messages: unknown, maxMs: number): AnswerDeadline {
  const unanswered = new Set([messages].flat().flatMap((message) => (isRequest(message) ? [message.id] : [])))
  const late = new AbortController()
  const message = `The answer took longer than ${maxMs / 1000} seconds. Ask a shorter question, or ask again later.`
  const timer = setTimeout(() => late.abort(new Error(message)), maxMs)
  const errors = () => [...unanswered].map((id) => ({ jsonrpc: '2.0', error: { code: timeoutCode, message }, id }))
  const finalEvents = () =>
    errors()
      .map((error) => `event: message\ndata: ${JSON.stringify(error)}\n\n`)
      .join('')
  return {
    signal: late.signal,
    noteAnswer(json) {
      const message: object = JSON.parse(json)
      if (!('method' in message) && 'id' in message) unanswered.delete(message.id)
    },
    async within(work) {
      try {
        const response = await unlessAborted(work(), late.signal)
        if (response.body === null || !hasEvents(response)) {
          clearTimeout(timer)
          return response
        }
        const body = endOnAbort(late.signal, response.body, { finalEvents, onEnd: () => clearTimeout(timer) })
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

type Ending = { finalEvents(): string; onEnd(): void }

/** A stream of events. If the signal aborts, it ends with `finalEvents`. */
function endOnAbort(signal: AbortSignal, events: ReadableStream<Uint8Array>, { finalEvents, onEnd }: Ending) {
  const reader = events.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await unlessAborted(reader.read(), signal)
        if (!done) return controller.enqueue(value)
      } catch (error) {
        if (!signal.aborted) throw error
        controller.enqueue(new TextEncoder().encode(finalEvents()))
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
