import { UsageError } from '../../../shared/cli/usage-error.ts'

/** The address of a deployment without a slash at its end. Throws UsageError. */
export function readRoot(given: string | undefined): string {
  if (given === undefined) throw new UsageError('setup needs the address of your Carrel: --base-url https://carrel.example.com')
  const text = given.trim()
  if (/^["']/.test(text)) throw wrong('must not be in quotes, which are part of the value in a file that no shell reads')
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong('must be an address such as https://carrel.example.com')
  if (url.username !== '' || url.password !== '') throw wrong('must not contain a user name or password')
  if (/[?#]/.test(text)) throw wrong('must not contain a query or fragment')
  let path = url.pathname
  while (path.endsWith('/')) path = path.slice(0, -1)
  const end = /\/(mcp|api)$/.exec(path)?.[1]
  if (end !== undefined) throw wrong(`must be the root, without /${end} at its end`)
  return url.origin + path
}

const wrong = (why: string): UsageError => new UsageError(`--base-url ${why}.`)

/** `URL.parse` needs a newer Node. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
