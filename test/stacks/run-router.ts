import { runInNewContext } from 'node:vm'
import type { Inputs, Stage } from './evaluate-stage.ts'
import { all, one } from './stage.ts'

export type Routed = {
  host: string | undefined
  path: string
  headers: Record<string, { value: string }>
  status: number | undefined
}

/** Runs the CloudFront function that the Router would deploy, with the key-value store that it would be given. */
export async function runRouter(stage: Stage, path: string, headers: Record<string, string> = {}): Promise<Routed> {
  const { code } = one(stage, 'cloudfront/function', 'Router').inputs
  const kept = keyValues(stage)
  const routed: { domainName?: string } = {}
  const cloudfront = {
    kvs: () => ({ get: async (key: string) => kept.get(key) ?? Promise.reject(new Error(`no key ${key}`)) }),
    updateRequestOrigin: (origin: { domainName: string }) => Object.assign(routed, origin),
  }
  const handler = runInNewContext(`(cf) => { ${code.replace('import cf from "cloudfront";', '')}; return handler }`)(cloudfront)
  const host = { value: stage.app.stage === 'production' ? 'docs.example.com' : 'd1.cloudfront.net' }
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]))
  const request = { method: 'GET', uri: path, querystring: {}, headers: { host, ...sent }, cookies: {} }
  const answer = await handler({ viewer: { ip: '2001:db8::7' }, request })
  return { host: routed.domainName, path: answer.uri, headers: answer.headers, status: answer.statusCode }
}

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
