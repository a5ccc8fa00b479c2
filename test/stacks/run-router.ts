import { runInNewContext } from 'node:vm'
import type { EdgeFunction, EdgeHeaders } from '../fixtures/cloudfront.ts'
import type { Inputs, Stage } from './evaluate-stage.ts'
import { all, one } from './stage.ts'

export type Routed = {
  host: string | undefined
  path: string
  headers: EdgeHeaders
  status: number | undefined
}

/** Runs the Router's function for a request as CloudFront would. */
export async function runRouter(
  stage: Stage,
  path: string,
  headers: Record<string, string> = {},
  router = 'Router',
): Promise<Routed> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]))
  const { answer, origin } = await routerFunction(stage, router)({ method: 'GET', uri: path, headers: sent })
  if ('statusCode' in answer) return { host: origin, path, headers: answer.headers ?? {}, status: answer.statusCode }
  return { host: origin, path: answer.uri, headers: answer.headers, status: undefined }
}

/** The CloudFront function that the Router would deploy, with the key-value store that it would be given. Host is the stage's own unless sent. */
export function routerFunction(stage: Stage, router = 'Router'): EdgeFunction {
  const { code } = one(stage, 'cloudfront/function', router).inputs
  const kept = keyValues(stage)
  const host = { value: router === 'Router' ? hostOf(stage) : dashboardHostOf(stage) }
  return async (request) => {
    const routed: { domainName?: string } = {}
    const cloudfront = {
      kvs: () => ({ get: async (key: string) => kept.get(key) ?? Promise.reject(new Error(`no key ${key}`)) }),
      updateRequestOrigin: (origin: { domainName: string }) => Object.assign(routed, origin),
    }
    const handler = runInNewContext(`(cf) => { ${code.replace('import cf from "cloudfront";', '')}; return handler }`)(cloudfront)
    const headers = { host, ...request.headers }
    const answer = await handler({
      viewer: { ip: '2001:db8::7' },
      request: { ...request, headers, querystring: {}, cookies: {} },
    })
    return { answer, origin: routed.domainName }
  }
}

const dashboardHostOf = (stage: Stage): string =>
  stage.app.stage === 'production' ? 'app.docs.example.com' : 'd1.cloudfront.net'

/** The host name of a stage. */
const hostOf = (stage: Stage): string => (stage.app.stage === 'production' ? 'docs.example.com' : 'd1.cloudfront.net')

function keyValues(stage: Stage): Map<string, string> {
  const kept = new Map<string, string>()
  const routes = new Map<string, string[]>()
  for (const { name, inputs } of all(stage, 'pulumi-nodejs:dynamic')) {
    if (name.endsWith('.KvKeys'))
      for (const [key, value] of Object.entries(inputs.entries as Inputs)) kept.set(`${inputs.namespace}:${key}`, value)
    if (name.endsWith('.KvRoutesUpdate')) routes.set(inputs.namespace, [...(routes.get(inputs.namespace) ?? []), inputs.entry])
  }
  for (const [namespace, entries] of routes) kept.set(`${namespace}:routes`, JSON.stringify(entries))
  return kept
}
