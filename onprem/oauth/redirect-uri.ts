import { isLoopbackHost } from '../../shared/network/private-address.ts'

const maxLength = 1_000
/** Schemes that a browser runs or shows itself. Others belong to a program. */
const ofBrowsers =
  /^(?:about|blob|chrome|chrome-extension|data|file|filesystem|ftp|intent|jar|javascript|mailto|moz-extension|ms-[a-z-]+|resource|search-ms|tel|urn|vbscript|view-source|wss?):$/

/** True if a client may get its answer there: https, http on its own machine, or the scheme of a program. */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= maxLength && /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null
  if (url === null || text.includes('#') || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return url.hostname !== ''
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname)
  return !ofBrowsers.test(url.protocol)
}

/** True if a client registered this very address. Only the port may differ of an http address on its own machine (RFC 8252, section 7.3). */
export function matchesRedirectUri(registered: readonly string[], sent: string): boolean {
  if (!isRedirectUri(sent)) return false
  return registered.some(
    (each) => each === sent || (isLoopback(each) && isLoopback(sent) && withoutPort(each) === withoutPort(sent)),
  )
}

/** True for an http address on the machine of the client. */
export const isLoopback = (text: string): boolean =>
  /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?:[/?]|$)/.test(text)

const withoutPort = (text: string): string => text.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+)):\d{1,5}/, '$1')
