import type { TestInstall } from '../../fixtures/test-install.ts'
import { choices, methodOf, routes } from '../routes.ts'

export type Asked = { method?: string; path: string; body?: string | undefined; headers?: Record<string, string> }

/** The answer, without the parts that differ between any two requests. */
export async function answerOf(install: TestInstall, { method = 'GET', path, body, headers }: Asked) {
  const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
  const response = await fetch(install.url + path, { method, headers: sent, ...(body !== undefined && { body }) })
  const text = await response.text()
  const shown = Object.fromEntries(
    [...response.headers].filter(([name]) => !['date', 'x-request-id', 'set-cookie'].includes(name)),
  )
  const same = text
    .replaceAll(install.url, '<server>')
    .replaceAll(install.git.url, '<git>')
    .replace(/"uptime":[\d.]+/, '"uptime":0')
    .replace(/"(lastUpdateDate|lastReadAt|lastCheckedAt|lastChangedAt|nextCheckAt)":"[^"]*"/g, '"$1":""')
    .replace(/"expiresAt":"[^"]*"/, '"expiresAt":""')
    .replace(/("id":)"[\w-]{32,36}"/g, '$1"<id>"')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"')
    .replace(/"(durationMs|elapsedMs|lastEventId|ms)":("[^"]*"|[\d.]+)/g, '"$1":0')
    .replace(/carrel-nonce" content="[^"]*"/, 'carrel-nonce"')
  const policy = shown['content-security-policy']?.replace(/'nonce-[^']*'/, '')
  return { status: response.status, headers: { ...shown, 'content-length': '', 'content-security-policy': policy }, body: same }
}

const call = (name: string, args: Record<string, string>): Asked => ({
  method: 'POST',
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
})

export const questions: Asked[] = [
  ...['b', 'a/b', 'widgets', 'words'].map((q) => ({ path: `/api/search?q=${encodeURIComponent(q)}` })),
  ...['b', 'a/b', 'widgets', 'words', 'B', 'a b', '/a/b'].flatMap((name) => [
    { path: `/api/v2/libs/search?libraryName=${encodeURIComponent(name)}&query=widgets` },
    call('resolve-library-id', { libraryName: name, query: 'widgets' }),
  ]),
  ...['/a/b', '/A/B', '/a/b/v1', '/a/b@v1', '/a/b@nope'].flatMap((id) => [
    { path: `/api/v2/context?libraryId=${encodeURIComponent(id)}&query=widgets` },
    { path: `/api/v2/context?libraryId=${encodeURIComponent(id)}&query=widgets&type=json` },
    call('query-docs', { libraryId: id, query: 'widgets' }),
  ]),
  ...['', '?q=b', '?origin=private', '?state=finalized', '?state=processing', '?state=error', '?sort=title&pageSize=1'].map(
    (query) => ({
      path: `/api/projects${query}`,
    }),
  ),
  ...['a/b@v1', 'a/b@nope', 'a/b/pages?version=v1', 'a/b/pages/README.md?type=txt', 'A/B', 'A/B/source'].map((path) => ({
    path: `/api/projects/${path}`,
  })),
  ...['a/b@v1', 'A/B'].flatMap((path) => [
    { method: 'POST', path: `/api/projects/${path}/refresh` },
    { method: 'DELETE', path: `/api/projects/${path}` },
  ]),
  { path: '/api/health' },
  { path: '/api/ready' },
  { path: '/api/parse-status' },
  { path: '/' },
  { path: '/libraries/a/b', headers: { accept: 'text/html' } },
]

/** `/metrics` has totals and times, no names. */
export const everyRoute: Asked[] = [...routes, ...choices]
  .filter(({ route }) => route !== 'GET /metrics')
  .map((route) => ({ method: methodOf(route), path: route.path, body: route.body }))

export const named = (asked: Asked) =>
  [`${asked.method ?? 'GET'} ${asked.path} ${asked.body ?? ''}`.slice(0, 200).trim(), asked] as const
