import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../functions/server.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

type Document = {
  info: { version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, { operationId: string; tags?: string[]; responses: Record<string, unknown> }>>
}

let hosted: TestHosted
let document: Document

beforeAll(async () => {
  hosted = await testHosted()
  document = (await (await hosted.get('/api/openapi.json')).json()) as Document
})
afterAll(() => hosted.close())

test('the document has version 2.0.0 and the tags and operations of the contract', () => {
  expect(document.info.version).toBe('2.0.0')
  expect(document.tags.map(({ name }) => name)).toEqual(['Search', 'Context', 'Refresh', 'Policies', 'Add Library', 'Metrics'])
  const named = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, tags = [] }]) => `${method} ${path} ${operationId} ${tags}`),
  )
  expect(named.sort()).toEqual([
    'get /auth/mcp getMcpAuth ',
    'get /health getHealth ',
    'get /openapi.json getOpenApi ',
    'get /ready getReady ',
    'get /v2/context getContext Context',
    'get /v2/libs/metrics getLibraryMetrics Metrics',
    'get /v2/libs/search searchLibraries Search',
    'get /v2/libs/{owner}/{repo}/pages listPagesOfLibrary Context',
    'get /v2/libs/{owner}/{repo}/pages/{path} readPage Context',
    'get /v2/policies getPolicies Policies',
    'get /v2/search searchDocumentation Context',
    'patch /v2/policies updatePolicies Policies',
    'post /v1/enterprise/export exportLibrary ',
    'post /v1/refresh refreshLibrary Refresh',
    'post /v2/add/confluence addConfluence Add Library',
    'post /v2/add/llmstxt addLlmsTxt Add Library',
    'post /v2/add/openapi addOpenApi Add Library',
    'post /v2/add/openapi-upload addOpenApiUpload Add Library',
    'post /v2/add/openapi-upload/start startOpenApiUpload Add Library',
    'post /v2/add/repo/bitbucket addBitbucketRepo Add Library',
    'post /v2/add/repo/git addGitRepo Add Library',
    'post /v2/add/repo/github addGitHubRepo Add Library',
    'post /v2/add/repo/gitlab addGitLabRepo Add Library',
    'post /v2/add/website addWebsite Add Library',
    'post /v2/libs/view countView Metrics',
    'post /v2/policies/preview previewPolicies Policies',
    'post /v2/takedowns requestTakedown ',
  ])
})

test('every route of the API is described, and every described operation is a route', () => {
  const routes = createServer(hosted.hosted)
    .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} /api${path}`),
  )
  expect([...new Set(routes)].sort()).toEqual(described.sort())
})

test('the export declares every status that it may return', () => {
  const responses = document.paths['/v1/enterprise/export']?.post?.responses ?? {}
  expect(Object.keys(responses)).toEqual(['200', '303', '400', '401', '403', '404', '413', '422', '429', '500', '503', '507'])
})
