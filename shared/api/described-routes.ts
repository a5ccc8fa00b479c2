import { type RouteDocs, routeDocs } from '../http/route-docs.ts'

/** One handler or middleware of a Hono server, as `server.routes` lists them. */
export type RegisteredRoute = { method: string; path: string; handler: object }

export type DescribedRoute = {
  method: string
  /** Such as /jobs/{id}, relative to /api if the route is below that. */
  path: string
  isBelowApi: boolean
  docs: RouteDocs & { operationId: string }
}

/** The routes of a server that `describeRoute` describes, with the docs of all their middleware. */
export function describedRoutes(routes: readonly RegisteredRoute[]): DescribedRoute[] {
  const byName = new Map<string, Omit<DescribedRoute, 'docs'> & { docs: RouteDocs }>()
  for (const { method, path, handler } of routes) {
    const name = `${method} ${path}`
    const earlierDocs = byName.get(name)?.docs ?? {}
    const isBelowApi = path.startsWith('/api/')
    byName.set(name, { method, path: documentedPath(path), isBelowApi, docs: merge(earlierDocs, routeDocs(handler)) })
  }
  return [...byName.values()].flatMap(({ docs: { operationId, ...docs }, ...route }) =>
    operationId === undefined ? [] : { ...route, docs: { operationId, ...docs } },
  )
}

const merge = (earlierDocs: RouteDocs, more: RouteDocs): RouteDocs => ({
  ...earlierDocs,
  ...more,
  ...((earlierDocs.requestParams || more.requestParams) && {
    requestParams: { ...earlierDocs.requestParams, ...more.requestParams },
  }),
  errors: [...(earlierDocs.errors ?? []), ...(more.errors ?? [])],
})

const documentedPath = (path: string): string => path.replace(/^\/api(?=\/)/, '').replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')
