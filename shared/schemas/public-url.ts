import { z } from 'zod'
import { isLoopbackHost } from '../network/private-address.ts'

/** The address at which users reach a server. */
export type PublicUrl = {
  /** The address without a trailing slash. */
  url: string
  origin: string
  hostname: string
  /** The path prefix, empty if there is none: `/docs`. */
  path: string
}

const example = 'such as https://carrel.example.com or https://example.com/carrel'
/** These paths would have a second meaning without the prefix. */
const reserved = ['api', 'mcp', 'metrics', '.well-known']
const segment = /^[\w.~-]+$/

export const PublicUrl = z
  .string()
  .trim()
  .max(500, 'must not be longer than 500 characters')
  .transform((text, context): PublicUrl => {
    const problem = problemOf(text)
    if (problem === undefined) return readUrl(text)
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })

/** True if keys and passwords travel over a network without encryption. */
export const isPlain = ({ url, hostname }: PublicUrl): boolean => url.startsWith('http:') && !isLoopbackHost(hostname)

export const plainWarning =
  'PUBLIC_URL begins with http://, so passwords, keys and sessions cross the network unencrypted: let a reverse proxy serve it over TLS.'

function problemOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return `must be an http or https address ${example}`
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (/[?#]/.test(text)) return 'must not contain a query or fragment'
  if (url.hostname.endsWith('.')) return 'must not have a dot at the end of the host'
  // The path is compared as written: a URL parser resolves "..", and accepts a backslash for a slash.
  const [first = '', ...others] = text
    .replace(/^[^:]+:\/\/[^/\\]*\/?/, '')
    .replace(/\/$/, '')
    .split('/')
  const segments = first === '' && others.length === 0 ? [] : [first, ...others]
  if (!segments.every((each) => segment.test(each) && !/^\.\.?$/.test(each)))
    return `must have a plain path, without "..", "//", escapes and spaces, ${example}`
  if (reserved.includes(first))
    return `must not have a path that begins with /${first}, which is a path of the server itself; choose another, ${example}`
  return undefined
}

function readUrl(text: string): PublicUrl {
  const { origin, hostname, pathname } = new URL(text)
  const path = pathname.replace(/\/$/, '')
  return { url: origin + path, origin, hostname, path }
}
