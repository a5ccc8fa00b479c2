import { getPath } from 'hono/utils/url'

/** The path of a request without the prefix of PUBLIC_URL. Some reverse proxies remove the prefix, others keep it. */
export const pathBelow =
  (prefix: string) =>
  (request: Request): string => {
    const path = getPath(request)
    if (prefix === '' || !path.startsWith(prefix)) return path
    const rest = path.slice(prefix.length)
    if (rest === '') return '/'
    return rest.startsWith('/') ? rest : path
  }
