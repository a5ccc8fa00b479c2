const dataPrefix = 'data: '
const isMessage = (line: string): boolean => line.startsWith(`${dataPrefix}{`)

/** Passes events through. `rewrite` gets the JSON of each message in them and returns what replaces it. */
export function rewriteMessages(rewrite: (json: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      const written = lines.map((line) => `${isMessage(line) ? dataPrefix + rewrite(line.slice(dataPrefix.length)) : line}\n`)
      controller.enqueue(encoder.encode(written.join('')))
    },
  })
}

/** Events as JSON: all messages if the request was a batch, else its only one. Resolves when the stream has ended. */
export async function eventsAsJson(response: Response, isBatch: boolean): Promise<Response> {
  const lines = (await response.text()).split('\n').filter(isMessage)
  const messages: unknown[] = lines.map((line) => JSON.parse(line.slice(dataPrefix.length)))
  return Response.json(isBatch ? messages : (messages[0] ?? null))
}

export const hasEvents = (response: Response): boolean =>
  response.body !== null && response.headers.get('content-type')?.startsWith('text/event-stream') === true
