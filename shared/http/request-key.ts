import type { Context } from 'hono'
import { AppError } from '../errors.ts'

/** Headers in which clients send their key. */
export const keyHeaders = [
  'authorization',
  'x-carrel-api-key',
  'x-context7-api-key',
  'context7-api-key',
  'x-api-key',
  'context7_api_key',
  'x_api_key',
] as const

export const differentKeysMessage =
  'The headers of this request hold different keys. Send one key, as "Authorization: Bearer <key>".'

/** The key in a header. Ignores other Authorization schemes, which a proxy may add. */
const readKey = (value = ''): string => value.replace(/^\s*(bearer(\s|$)|(basic|digest|negotiate)\s.*)/i, '').trim()

/** The key in the Authorization header, not checked. */
export const bearerKey = (c: Context): string => readKey(c.req.header('authorization'))

/** The key of a request, not checked. Undefined if there is none. Throws validation_error for two different keys. */
export function requestKey(c: Context): string | undefined {
  const sent = keyHeaders.flatMap((name) => {
    const key = readKey(c.req.header(name))
    return key ? [{ name, key }] : []
  })
  if (new Set(sent.map(({ key }) => key)).size > 1) {
    const fields = sent.map(({ name }) => ({ path: name, message: 'must hold the same key as the other headers' }))
    throw new AppError('validation_error', differentKeysMessage, { fields: { fields } })
  }
  return sent[0]?.key
}
