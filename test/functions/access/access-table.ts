/** A status, with the error code of the response if it has one. */
type Answer = `${number}` | `${number} ${string}`

/** The expected answer for each caller. `rejected` holds for every key that is not valid: revoked, malformed or expired. */
export type Answers = {
  nobody: Answer
  /** The key of a teamspace that owns neither library. */
  stranger: Answer
  /** The key of the teamspace that owns both libraries. */
  owner: Answer
  online: Answer
  offline: Answer
  rejected: Answer
}

export type Row = {
  /** The route as the server declares it, or the name of an MCP tool. */
  route: string
  what: string
  method: string
  path: string
  /** `{caller}` is replaced by the name of the caller. */
  body?: unknown
  answers: Answers
}

/** The library that everybody can read, and the one that only keys of its teamspace can read. */
export const libraries = { public: '/acme/docs', private: '/vault/secret' }

const [docs, secret] = [libraries.public, libraries.private]
const [unauthorized, forbidden, denied] = ['401 invalid_api_key', '403 forbidden', '403 access_denied'] as const
const [invalid, hidden, noTag, absent] = [
  '400 validation_error',
  '404 library_not_found',
  '404 tag_not_found',
  '404 not_found',
] as const

const everybody = (answer: Answer): Answers => ({
  nobody: answer,
  stranger: answer,
  owner: answer,
  online: answer,
  offline: answer,
  rejected: answer,
})

/** Search and questions need no key, but an invalid key is rejected and an offline license is only for exports. */
const readers = (answer: Answer, owner = answer): Answers => ({
  ...everybody(answer),
  owner,
  offline: forbidden,
  rejected: unauthorized,
})

const teamspaces = (stranger: Answer, owner = stranger): Answers => ({ ...everybody(unauthorized), stranger, owner })

const keyHolders = (answer: Answer): Answers => ({ ...everybody(answer), nobody: unauthorized, rejected: unauthorized })

const exporters = (answer: Answer): Answers => ({ ...everybody(unauthorized), online: forbidden, offline: answer })

const mcp = (answer: Answer, owner = answer): Answers => ({
  ...readers(answer, owner),
  offline: '403 -32000',
  rejected: '401 -32001',
})

const row = (route: string, what: string, path: string, answers: Answers, body?: unknown): Row => {
  const [method = ''] = route.split(' ')
  return { route, what, method, path, answers, ...(body === undefined ? {} : { body }) }
}

const get = (path: string, what: string, query: Record<string, string>, answers: Answers) =>
  row(`GET ${path}`, what, `${path}?${new URLSearchParams(query)}`, answers)

const post = (path: string, what: string, body: unknown, answers: Answers) => row(`POST ${path}`, what, path, answers, body)

const rpc = (route: string, what: string, method: string, params: unknown, answers: Answers): Row => {
  const body = { jsonrpc: '2.0', id: 1, method, params }
  return { route, what, method: 'POST', path: '/mcp', body, answers }
}

const tool = (name: string, what: string, args: Record<string, string>, answers: Answers) =>
  rpc(name, what, 'tools/call', { name, arguments: args }, answers)

const search = '/api/v2/libs/search'
const context = '/api/v2/context'
const metrics = '/api/v2/libs/metrics'
const policies = '/api/v2/policies'
const refresh = '/api/v1/refresh'
const [github = '', ...otherHosts] = ['github', 'gitlab', 'bitbucket', 'git'].map((host) => `/api/v2/add/repo/${host}`)
const otherSources = { openapi: 'openApiUrl', llmstxt: 'llmstxtUrl', website: 'websiteUrl' }
const exporting = '/api/v1/enterprise/export'
const query = 'lever'

const pages = (route: string, path: string): Row[] => [
  row(route, 'a public library', `/api/v2/libs${docs}/${path}`, readers('200')),
  row(route, 'a missing version of a public library', `/api/v2/libs${docs}/${path}?version=v9`, readers(noTag)),
  row(route, 'a private library', `/api/v2/libs${secret}/${path}`, readers(hidden, '200')),
  row(route, 'an unknown library', `/api/v2/libs/acme/none/${path}`, readers(hidden)),
]

/** Public pages show the same to everybody, whatever key is sent. */
const publicPages: Row[] = [
  row('GET /', 'without a library', '/', everybody('200')),
  row('GET /robots.txt', 'without a library', '/robots.txt', everybody('200')),
  row('GET /sitemap.xml', 'without a library', '/sitemap.xml', everybody('200')),
  row('GET /terms', 'without a library', '/terms', everybody('200')),
  row('GET /privacy', 'without a library', '/privacy', everybody('200')),
  row('GET /takedown', 'the form', '/takedown', everybody('200')),
  row('GET /takedown', 'the form for an unknown library', '/takedown?library=/acme/none', everybody('200')),
  row('POST /takedown', 'a body that is no form', '/takedown', everybody(invalid), {}),
  row('GET /assets/:name', 'without a library', '/assets/pages.css', everybody('200')),
  ...pagesOfLibrary('GET /:owner/:repo', (id) => id),
  ...pagesOfLibrary('GET /:owner/:repo', (id) => `${id}?q=lever`),
  ...pagesOfLibrary('GET /:owner/:repo', (id) => `${id}?page=README.md`),
  ...pagesOfLibrary('GET /:owner/:repo/:version', (id) => `${id}/v1`),
  ...pagesOfLibrary('GET /:owner/:repo/llms.txt', (id) => `${id}/llms.txt`),
  ...pagesOfLibrary('GET /:owner/:repo/llms.txt', (id) => `${id}/llms.txt?query=lever`),
  ...pagesOfLibrary('GET /:owner/:repo/:version/llms.txt', (id) => `${id}/v1/llms.txt`),
  ...pagesOfLibrary('GET /badge/:owner/:file{.+\\.svg}', (id) => `/badge${id}.svg`, '404'),
]

function pagesOfLibrary(route: string, pathOf: (id: string) => string, missing: Answer = hidden): Row[] {
  return [
    row(route, 'a public library', pathOf(docs), everybody('200')),
    row(route, 'a private library', pathOf(secret), everybody(missing)),
    row(route, 'an unknown library', pathOf('/acme/none'), everybody(missing)),
  ]
}

/** Every route of the hosted half. That a hidden library looks like a missing one in every other respect, hidden-libraries.test.ts shows. */
export const rows: Row[] = [
  get('/api/health', 'without a library', {}, everybody('200')),
  get('/api/ready', 'without a library', {}, everybody('200')),
  get('/api/auth/mcp', 'without a library', {}, everybody('200')),
  get('/api/openapi.json', 'without a library', {}, everybody('200')),
  get('/cli.mjs', 'the setup of clients', {}, everybody('200')),

  get(search, 'a public library', { libraryName: 'docs', query }, readers('200')),
  get(search, 'a private library', { libraryName: 'secret', query }, readers('404 no_libraries_found', '200')),
  get(search, 'an invalid query', { libraryName: '' }, readers(invalid)),

  get(context, 'a public library', { libraryId: docs, query }, readers('200')),
  get(context, 'a version of a public library', { libraryId: `${docs}@v1`, query }, readers('200')),
  get(context, 'a missing version of a public library', { libraryId: `${docs}@v9`, query }, readers(noTag)),
  get(context, 'a private library', { libraryId: secret, query }, readers(hidden, '200')),
  get(context, 'a version of a private library', { libraryId: `${secret}@v1`, query }, readers(hidden, '200')),
  get(context, 'a missing version of a private library', { libraryId: `${secret}@v9`, query }, readers(hidden, noTag)),
  get(context, 'an unknown library', { libraryId: '/acme/none', query }, readers(hidden)),
  get(context, 'an invalid query', { libraryId: docs }, readers(invalid)),

  get(context, 'a private library next to a public one', { libraryIds: `${docs},${secret}`, query }, readers('200')),
  get('/api/v2/search', 'all libraries', { query }, readers('200')),
  get('/api/v2/search', 'an invalid query', {}, readers(invalid)),

  post('/api/v2/libs/view', 'a public library', { libraryId: docs }, readers('200')),
  post('/api/v2/libs/view', 'a private library', { libraryId: secret }, readers(hidden)),
  post('/api/v2/libs/view', 'an unknown library', { libraryId: '/acme/none' }, readers(hidden)),
  post('/api/v2/libs/view', 'an invalid body', {}, readers(invalid)),

  ...publicPages,

  ...pages('GET /api/v2/libs/:owner/:repo/pages', 'pages'),
  ...pages('GET /api/v2/libs/:owner/:repo/pages/:path{.+}', 'pages/README.md'),

  get(metrics, 'a public library', { libraryId: docs }, teamspaces(denied, '200')),
  get(metrics, 'a missing version of a public library', { libraryId: `${docs}@v9` }, teamspaces(denied, noTag)),
  get(metrics, 'a private library', { libraryId: secret }, teamspaces(hidden, '200')),
  get(metrics, 'a missing version of a private library', { libraryId: `${secret}@v9` }, teamspaces(hidden, noTag)),
  get(metrics, 'an unknown library', { libraryId: '/acme/none' }, teamspaces(hidden)),
  get(metrics, 'an invalid query', { libraryId: docs, days: '0' }, teamspaces(invalid)),

  get(policies, 'the policy of the key', {}, keyHolders('200')),
  row(`PATCH ${policies}`, 'the policy of the key', policies, keyHolders('200'), {
    sourceTypes: { enable: ['public_repos'] },
  }),
  row(`PATCH ${policies}`, 'an invalid change', policies, keyHolders(invalid), {}),
  post(`${policies}/preview`, 'a change of the policy', { libraryFilters: { mode: null } }, keyHolders('200')),
  post(`${policies}/preview`, 'an invalid change', {}, keyHolders(invalid)),

  post('/api/v2/takedowns', 'an invalid body', {}, readers(invalid)),

  post(refresh, 'a public library', { libraryName: docs }, teamspaces('200')),
  post(refresh, 'a branch of a public library', { libraryName: docs, branch: 'main' }, teamspaces(forbidden, '200')),
  post(refresh, 'a private library', { libraryName: secret }, teamspaces(hidden, '200')),
  post(refresh, 'a branch of a private library', { libraryName: secret, branch: 'main' }, teamspaces(hidden, '200')),
  post(refresh, 'an unknown library', { libraryName: '/acme/none' }, teamspaces(hidden)),
  post(refresh, 'an invalid body', {}, teamspaces(invalid)),

  post(github, 'a new library', { docsRepoUrl: '{git}/new/{caller}' }, teamspaces('200')),
  post(github, 'a public library', { docsRepoUrl: `{git}${docs}` }, teamspaces('409 duplicate_repo')),
  post(github, 'a private library', { docsRepoUrl: `{git}${secret}` }, teamspaces(absent, '409 duplicate_repo')),
  post(github, 'a missing repository', { docsRepoUrl: '{git}/acme/none' }, teamspaces(absent)),
  post(
    github,
    'a repository that is to be private, without a token',
    { docsRepoUrl: '{git}/acme/x', private: true },
    teamspaces('409 not_configured'),
  ),
  post(github, 'an invalid body', {}, teamspaces(invalid)),
  ...Object.entries(otherSources).flatMap(([kind, field]) => [
    post(
      `/api/v2/add/${kind}`,
      'a host that is not listed',
      { [field]: 'https://docs.example.com/llms.txt' },
      teamspaces(invalid),
    ),
    post(`/api/v2/add/${kind}`, 'an invalid body', {}, teamspaces(invalid)),
  ]),
  post('/api/v2/add/confluence', 'an invalid body', {}, teamspaces(invalid)),
  post('/api/v2/add/openapi-upload', 'a body that is no form', {}, teamspaces(invalid)),
  post('/api/v2/add/openapi-upload/start', 'an invalid body', {}, teamspaces(invalid)),
  ...otherHosts.flatMap((path) => [
    post(path, 'a repository of another host', { docsRepoUrl: `{git}${docs}` }, teamspaces(invalid)),
    post(path, 'an invalid body', {}, teamspaces(invalid)),
  ]),

  post(exporting, 'a public library', { library: docs }, exporters('200')),
  post(exporting, 'a version of a public library', { library: `${docs}@v1` }, exporters('200')),
  post(exporting, 'a missing version of a public library', { library: `${docs}@v9` }, exporters(noTag)),
  post(exporting, 'a private library', { library: secret }, exporters(hidden)),
  post(exporting, 'an unknown library', { library: '/acme/none' }, exporters(hidden)),
  post(exporting, 'an invalid body', {}, exporters(invalid)),

  { route: 'ALL /mcp', what: 'a stream of the server', method: 'GET', path: '/mcp', answers: mcp('405 -32000') },
  rpc('ALL /mcp', 'the list of tools', 'tools/list', {}, mcp('200')),
  tool('resolve-library-id', 'a public library', { libraryName: 'docs', query }, mcp('200 found')),
  tool('resolve-library-id', 'a private library', { libraryName: 'secret', query }, mcp('200 not found', '200 found')),
  tool('query-docs', 'a public library', { libraryId: docs, query }, mcp('200 found')),
  tool('query-docs', 'a private library', { libraryId: secret, query }, mcp('200 not found', '200 found')),
  tool('list-pages', 'a public library', { libraryId: docs }, mcp('200 found')),
  tool('list-pages', 'a private library', { libraryId: secret }, mcp('200 not found', '200 found')),
  tool('read-page', 'a public library', { libraryId: docs, path: 'README.md' }, mcp('200 found')),
  tool('read-page', 'a private library', { libraryId: secret, path: 'README.md' }, mcp('200 not found', '200 found')),
  tool('query-docs', 'a version of a private library', { libraryId: `${secret}@v1`, query }, mcp('200 not found', '200 found')),
]

/** Requests that no route takes. Below /api/v1 and /api/v2 a key is checked first. */
export const unrouted: Row[] = [
  row('POST', 'an operation that only reads', context, { ...everybody(absent), rejected: unauthorized }, {}),
  row('GET', 'an operation that only writes', refresh, { ...everybody(absent), rejected: unauthorized }),
  row('DELETE', 'policies', policies, { ...everybody(absent), rejected: unauthorized }),
  row('PUT', 'a path that does not exist', '/api/v2/none', { ...everybody(absent), rejected: unauthorized }),
  row('POST', 'a public route', '/api/health', everybody(absent)),
  row('GET', 'metadata of OAuth', '/.well-known/oauth-protected-resource', everybody(absent)),
]
