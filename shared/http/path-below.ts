import { getPath } from 'hono/utils/url'

/** A path without repeated slashes and without one at its end. Base addresses and proxies that end with a slash add them. */
export function plainPath(path: string): string {
  const single = path.replace(/\/{2,}/g, '/')
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single
}

/** The plain path of a request without the prefix of PUBLIC_URL. Some reverse proxies remove the prefix, others keep it. */
export const pathBelow =
  (prefix: string) =>
  (request: Request): string => {
    const path = plainPath(getPath(request))
    if (prefix === '' || !path.startsWith(prefix)) return path
    const rest = path.slice(prefix.length)
    if (rest === '') return '/'
    return rest.startsWith('/') ? rest : path
  }
