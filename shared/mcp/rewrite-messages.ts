const dataPrefix = 'data: '
const isMessage = (line: string): boolean => line.startsWith(`${dataPrefix}{`)

type Rewrite = (json: string) => string

/** The response with other messages: `rewrite` gets the JSON of each and returns what replaces it. */
export async function rewriteMessages(response: Response, rewrite: Rewrite): Promise<Response> {
  if (response.body === null) return response
  const body = hasEvents(response) ? response.body.pipeThrough(rewriteEvents(rewrite)) : rewrite(await response.text())
  return new Response(body, response)
}

function rewriteEvents(rewrite: Rewrite): TransformStream<Uint8Array, Uint8Array> {
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
