import type { Context } from 'hono'

/** Headers that clients in the field send their key in; the first that is there counts. */
const keyHeaders = [
  'authorization',
  'x-carrel-api-key',
  'x-context7-api-key',
  'context7-api-key',
  'x-api-key',
  'context7_api_key',
  'x_api_key',
]

/** The key of a request, whatever it is. Undefined where none is sent. */
export function keyOf(c: Context): string | undefined {
  const values = keyHeaders.map((name) =>
    c.req
      .header(name)
      ?.replace(/^\s*bearer(\s|$)/i, '')
      .trim(),
  )
  return values.find((value) => value)
}
