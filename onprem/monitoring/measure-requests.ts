import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { Instruments } from './instruments.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Counts each request by its route, never by its path. */
export const measureRequests = ({ requests, requestSeconds }: Pick<Instruments, 'requests' | 'requestSeconds'>) =>
  createMiddleware(async (c, next) => {
    const began = performance.now()
    await next()
    const labels = { route: routeOf(c), method: methods.includes(c.req.method) ? c.req.method : 'other' }
    requests.inc({ ...labels, status: `${Math.floor(c.res.status / 100)}xx` })
    requestSeconds.observe(labels, (performance.now() - began) / 1000)
  })

/** The route whose handler was reached last, as /api/jobs/{id}. `web` is the web UI, `none` a path without a route. */
function routeOf(c: Context): string {
  const [reached, matched] = [routePath(c), routePath(c, -1)]
  const path = isRoute(reached) ? reached : matched
  if (!isRoute(path)) return c.res.status < 400 ? 'web' : 'none'
  return path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')
}

/** False for middleware of all routes. */
const isRoute = (path: string): boolean => path !== '' && !path.endsWith('*')
