/** A longer address is not visited: it is mostly a trap. */
const maxAddressChars = 1_000

/** Parameters that name a visit or its origin, not a page. */
const visitParameter =
  /^(?:utm_\w+|gclid|fbclid|mc_[ce]id|ref|phpsessid|jsessionid|aspsessionid\w*|oscsid|cfid|cftoken|sid|session_?id)$/i
const sessionInPath = /;(?:jsessionid|phpsessid|sid)=[^/?]*/gi

/** The address of a page that a link leads to, without fragment, session and campaign. Undefined for anything but http and https. */
export function webAddress(link: string, base: string): URL | undefined {
  if (link.length > maxAddressChars * 2 || !URL.canParse(link, base)) return undefined
  const url = new URL(link, base)
  if (!/^https?:$/.test(url.protocol)) return undefined
  url.hash = ''
  url.username = ''
  url.password = ''
  url.pathname = url.pathname.replace(sessionInPath, '').replace(/\/{2,}/g, '/')
  for (const name of [...url.searchParams.keys()]) if (visitParameter.test(name)) url.searchParams.delete(name)
  url.searchParams.sort()
  return url.href.length > maxAddressChars ? undefined : url
}

/** Equal for the spellings of one page: with or without a final slash or `index.html`, and with http or https. */
export const addressKey = ({ host, pathname, search }: URL): string =>
  `${host}${pathname.replace(/\/index\.html?$/i, '/').replace(/(?<=.)\/$/, '')}${search}`

/** True if `path` matches a pattern such as `/blog/*`. A pattern without `*` also matches everything below it. */
export function matchesPath(pattern: string, path: string): boolean {
  const start = pattern.startsWith('/') ? pattern : `/${pattern}`
  if (!start.includes('*')) return path === start || path.startsWith(start.endsWith('/') ? start : `${start}/`)
  const [first = '', ...rest] = start.split(/\*+/)
  const last = rest.pop() ?? ''
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return path.length - last.length >= at && path.endsWith(last)
}
