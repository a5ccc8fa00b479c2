/** The callers that may use a route: everyone, holders of a key, those whose key may change something, or admins. */
export type Access = 'everyone' | 'key' | 'change' | 'admin'

export type Route = {
  /** The route as the server declares it. */
  route: string
  /** The path that is requested from an install without libraries and jobs. */
  path: string
  /** The body of the request. Allowed requests get the status `answer`. */
  body?: string
  answer: number
  /** The status for an allowed anonymous caller, if it differs from `answer`. */
  anonymousAnswer?: number
  access: Access
  /** The access with one setting of `permissions.*` changed. */
  switched?: { by: string; to: Access }
  /** While this setting is on, `switched` does not apply. */
  keptBy?: 'hidePrivate'
  /** While requireMcpAuth hides names, the response reveals no library: 401 also for a missing one. */
  hidesNames?: true
  /** True if a session whose initial password was not changed may call it. */
  withInitialPassword?: true
}

const content = { access: 'everyone', switched: { by: 'requireMcpAuth', to: 'key' } } as const

/** Every route of an install, once. */
export const routes: Route[] = [
  { route: 'GET /api/health', path: '/api/health', answer: 200, access: 'everyone', withInitialPassword: true },
  { route: 'GET /api/ready', path: '/api/ready', answer: 200, access: 'everyone', withInitialPassword: true },
  { route: 'GET /api/auth/mcp', path: '/api/auth/mcp', answer: 200, access: 'everyone', withInitialPassword: true },
  { route: 'GET /api/openapi.json', path: '/api/openapi.json', answer: 200, access: 'everyone', withInitialPassword: true },
  { route: 'GET /api/v2/libs/search', path: '/api/v2/libs/search', answer: 400, ...content },
  { route: 'GET /api/v2/context', path: '/api/v2/context?libraryId=/a/b&query=x', answer: 404, ...content },
  { route: 'GET /api/v2/search', path: '/api/v2/search?query=x', answer: 404, ...content },
  { route: 'GET /api/search', path: '/api/search?q=x', answer: 200, ...content },
  { route: 'GET /api/v2/libs/{owner}/{repo}/pages', path: '/api/v2/libs/a/b/pages', answer: 404, ...content },
  { route: 'GET /api/v2/libs/{owner}/{repo}/pages/{path}', path: '/api/v2/libs/a/b/pages/README.md', answer: 404, ...content },
  { route: 'GET /api/usage', path: '/api/usage', answer: 200, access: 'key' },
  { route: 'GET /api/usage/daily', path: '/api/usage/daily?libraryIds=/a/b', answer: 200, access: 'key' },
  { route: 'GET /api/v2/libs/metrics', path: '/api/v2/libs/metrics?libraryId=/a/b', answer: 404, access: 'key' },
  { route: 'GET /api/parse-status', path: '/api/parse-status', answer: 200, ...content },
  { route: 'GET /api/projects', path: '/api/projects', answer: 200, ...content },
  { route: 'GET /api/projects/{id}', path: '/api/projects/a/b', answer: 404, ...content },
  { route: 'GET /api/projects/{owner}/{repo}/pages', path: '/api/projects/a/b/pages', answer: 404, ...content },
  { route: 'GET /api/projects/{owner}/{repo}/pages/{path}', path: '/api/projects/a/b/pages/README.md', answer: 404, ...content },
  { route: 'GET /api/projects/{owner}/{repo}/versions', path: '/api/projects/a/b/versions', answer: 404, ...content },
  { route: 'GET /api/projects/{owner}/{repo}/changes', path: '/api/projects/a/b/changes', answer: 404, ...content },
  {
    route: 'GET /api/projects/{owner}/{repo}/remote-names',
    path: '/api/projects/a/b/remote-names',
    answer: 404,
    access: 'change',
  },
  { route: 'GET /api/projects/{owner}/{repo}/source', path: '/api/projects/a/b/source', answer: 404, ...content },
  {
    route: 'PATCH /api/projects/{owner}/{repo}/source',
    path: '/api/projects/a/b/source',
    body: '{"branch": "main"}',
    answer: 404,
    access: 'change',
  },
  {
    route: 'PATCH /api/projects/{owner}/{repo}/tags',
    path: '/api/projects/a/b/tags',
    body: '{"add": ["web"]}',
    answer: 404,
    access: 'change',
  },
  { route: 'POST /api/gitops/plan', path: '/api/gitops/plan', body: '{', answer: 400, access: 'admin' },
  { route: 'POST /api/gitops/apply', path: '/api/gitops/apply', body: '{', answer: 400, access: 'admin' },
  { route: 'POST /api/gitops/reconcile', path: '/api/gitops/reconcile?force=x', answer: 400, access: 'admin' },
  { route: 'GET /api/gitops/status', path: '/api/gitops/status', answer: 200, access: 'admin' },
  { route: 'GET /api/gitops/config', path: '/api/gitops/config', answer: 200, access: 'admin' },
  { route: 'PUT /api/gitops/config', path: '/api/gitops/config', body: '{', answer: 400, access: 'admin' },
  { route: 'GET /api/gitops/schema.json', path: '/api/gitops/schema.json', answer: 200, access: 'everyone' },
  { route: 'GET /api/hooks', path: '/api/hooks', answer: 200, access: 'admin' },
  { route: 'POST /api/hooks', path: '/api/hooks', body: '{', answer: 400, access: 'admin' },
  { route: 'DELETE /api/hooks/{id}', path: '/api/hooks/missing', answer: 404, access: 'admin' },
  { route: 'GET /api/hooks/{id}/deliveries', path: '/api/hooks/missing/deliveries', answer: 404, access: 'admin' },
  // A delivery proves its sender by the secret of the webhook.
  {
    route: 'POST /api/hooks/{id}',
    path: '/api/hooks/none',
    body: '{}',
    answer: 404,
    access: 'everyone',
  },
  { route: 'POST /api/github/webhook', path: '/api/github/webhook', body: '{}', answer: 404, access: 'everyone' },
  { route: 'ALL /mcp', path: '/mcp', answer: 405, ...content },
  {
    route: 'POST /api/parse',
    path: '/api/parse',
    body: '{',
    answer: 400,
    access: 'change',
    switched: { by: 'anonymousParse', to: 'everyone' },
  },
  {
    route: 'POST /api/parse-openapi',
    path: '/api/parse-openapi',
    body: '{',
    answer: 400,
    access: 'change',
    switched: { by: 'anonymousParse', to: 'everyone' },
  },
  { route: 'GET /api/notifications', path: '/api/notifications', answer: 200, access: 'admin' },
  { route: 'POST /api/export', path: '/api/export', body: '{', answer: 400, access: 'admin' },
  { route: 'GET /api/export/key', path: '/api/export/key', answer: 200, access: 'admin' },
  { route: 'POST /api/export/key', path: '/api/export/key', answer: 200, access: 'admin' },
  {
    route: 'POST /api/parse-website',
    path: '/api/parse-website',
    body: '{',
    answer: 400,
    access: 'change',
    switched: { by: 'anonymousParse', to: 'everyone' },
  },
  {
    route: 'POST /api/parse-llmstxt',
    path: '/api/parse-llmstxt',
    body: '{',
    answer: 400,
    access: 'change',
    switched: { by: 'anonymousParse', to: 'everyone' },
  },
  {
    route: 'POST /api/parse-confluence',
    path: '/api/parse-confluence',
    body: '{',
    answer: 400,
    access: 'change',
    switched: { by: 'anonymousParse', to: 'everyone' },
  },
  ...['/api/parse-openapi-upload', '/api/parse-files'].map((path) => ({
    route: `POST ${path}`,
    path,
    body: '{',
    answer: 400,
    access: 'change' as const,
    switched: { by: 'anonymousParse', to: 'everyone' as const },
  })),
  { route: 'POST /api/parse/preview', path: '/api/parse/preview', body: '{', answer: 400, access: 'change' },
  { route: 'POST /api/parse/recognize', path: '/api/parse/recognize', body: '{"text": "a/b"}', answer: 200, access: 'key' },
  { route: 'GET /api/known-libraries', path: '/api/known-libraries', answer: 200, access: 'key' },
  ...(['github', 'gitlab', 'bitbucket', 'git'] as const).map((host) => ({
    route: `POST /api/v2/add/repo/${host}`,
    path: `/api/v2/add/repo/${host}`,
    body: '{',
    answer: 400,
    access: 'change' as const,
    switched: { by: 'anonymousParse', to: 'everyone' as const },
  })),
  {
    route: 'POST /api/v1/refresh',
    path: '/api/v1/refresh',
    body: '{"libraryName": "/a/b"}',
    answer: 404,
    access: 'change',
    switched: { by: 'anonymousRefresh', to: 'everyone' },
    hidesNames: true,
  },
  {
    route: 'POST /api/projects/{id}/refresh',
    path: '/api/projects/a/b/refresh',
    answer: 404,
    access: 'change',
    switched: { by: 'anonymousRefresh', to: 'everyone' },
    hidesNames: true,
  },
  {
    route: 'DELETE /api/projects/{id}',
    path: '/api/projects/a/b',
    answer: 404,
    access: 'admin',
    switched: { by: 'anonymousDelete', to: 'everyone' },
    hidesNames: true,
  },
  {
    route: 'POST /api/projects/{id}/restore',
    path: '/api/projects/a/b/restore',
    answer: 404,
    access: 'admin',
    switched: { by: 'anonymousDelete', to: 'everyone' },
  },
  {
    route: 'GET /api/support-bundle',
    path: '/api/support-bundle',
    answer: 200,
    access: 'admin',
    switched: { by: 'anonymousSupportBundle', to: 'everyone' },
    keptBy: 'hidePrivate',
  },
  { route: 'GET /api/backup', path: '/api/backup?keys=maybe', answer: 400, access: 'admin' },
  // A backup is running.
  { route: 'POST /api/backup', path: '/api/backup', answer: 409, access: 'admin' },
  { route: 'GET /api/backups', path: '/api/backups', answer: 200, access: 'admin' },
  { route: 'GET /api/backups/{name}', path: '/api/backups/missing', answer: 404, access: 'admin' },
  { route: 'DELETE /api/backups/{name}', path: '/api/backups/missing', answer: 404, access: 'admin' },
  { route: 'GET /metrics', path: '/metrics', answer: 200, access: 'key', switched: { by: 'anonymousMetrics', to: 'everyone' } },
  { route: 'GET /api/setup', path: '/api/setup', answer: 200, access: 'admin' },
  { route: 'POST /api/setup/{step}/skip', path: '/api/setup/llm/skip', answer: 200, access: 'admin' },
  { route: 'GET /api/connect/agents', path: '/api/connect/agents', answer: 200, access: 'key' },
  { route: 'POST /api/connect/test', path: '/api/connect/test', answer: 200, access: 'change' },
  { route: 'GET /api/account/sessions', path: '/api/account/sessions', answer: 200, access: 'change' },
  { route: 'DELETE /api/account/sessions/{id}', path: '/api/account/sessions/x', answer: 404, access: 'change' },
  { route: 'GET /api/settings', path: '/api/settings', answer: 200, access: 'admin' },
  { route: 'PATCH /api/settings', path: '/api/settings', body: '{', answer: 400, access: 'admin' },
  { route: 'POST /api/settings/test', path: '/api/settings/test', body: '{', answer: 400, access: 'admin' },
  { route: 'GET /api/models', path: '/api/models', answer: 200, access: 'admin' },
  { route: 'POST /api/models/{name}', path: '/api/models/none', body: '{}', answer: 404, access: 'admin' },
  { route: 'DELETE /api/models/{name}', path: '/api/models/none', answer: 404, access: 'admin' },
  { route: 'POST /api/import-libraries', path: '/api/import-libraries', body: '{', answer: 400, access: 'change' },
  { route: 'GET /api/v2/policies', path: '/api/v2/policies', answer: 200, access: 'admin' },
  { route: 'PATCH /api/v2/policies', path: '/api/v2/policies', body: '{', answer: 400, access: 'admin' },
  ...(['GET', 'POST'] as const).map((method) => ({
    route: `${method} /api/users`,
    path: '/api/users',
    ...(method === 'POST' ? { body: '{', answer: 400 } : { answer: 200 }),
    access: 'admin' as const,
  })),
  { route: 'GET /api/groups', path: '/api/groups', answer: 200, access: 'admin' },
  { route: 'POST /api/groups', path: '/api/groups', body: '{', answer: 400, access: 'admin' },
  { route: 'DELETE /api/groups/{name}', path: '/api/groups/none', answer: 404, access: 'admin' },
  { route: 'GET /api/groups/{name}/members', path: '/api/groups/none/members', answer: 404, access: 'admin' },
  { route: 'PUT /api/groups/{name}/members', path: '/api/groups/none/members', body: '{', answer: 400, access: 'admin' },
  { route: 'GET /api/library-rules', path: '/api/library-rules', answer: 200, access: 'admin' },
  { route: 'PUT /api/library-rules', path: '/api/library-rules', body: '{', answer: 400, access: 'admin' },
  { route: 'DELETE /api/library-rules', path: '/api/library-rules?pattern=/a/b', answer: 404, access: 'admin' },
  { route: 'PATCH /api/users/{id}', path: '/api/users/none', body: '{}', answer: 404, access: 'admin' },
  { route: 'DELETE /api/users/{id}', path: '/api/users/none', answer: 404, access: 'admin' },
  { route: 'GET /api/keys', path: '/api/keys', answer: 200, access: 'change' },
  { route: 'POST /api/keys', path: '/api/keys', body: '{', answer: 400, access: 'change' },
  { route: 'DELETE /api/keys/{id}', path: '/api/keys/none', answer: 404, access: 'change' },
  { route: 'GET /api/about', path: '/api/about', answer: 200, access: 'admin' },
  { route: 'GET /api/about/licenses', path: '/api/about/licenses', answer: 200, access: 'admin' },
  {
    route: 'POST /api/v2/feedback',
    path: '/api/v2/feedback',
    body: '{"libraryId": "/a/b", "helpful": true}',
    answer: 404,
    access: 'key',
  },
  { route: 'GET /api/feedback', path: '/api/feedback', answer: 404, access: 'admin' },
  { route: 'DELETE /api/feedback', path: '/api/feedback', answer: 404, access: 'admin' },
  { route: 'DELETE /api/feedback/{id}', path: '/api/feedback/1', answer: 404, access: 'admin' },
  { route: 'GET /api/audit', path: '/api/audit', answer: 200, access: 'admin' },
  { route: 'GET /api/audit/export', path: '/api/audit/export', answer: 200, access: 'admin' },
  { route: 'GET /api/license', path: '/api/license', answer: 200, access: 'admin' },
  {
    route: 'POST /api/account/credentials',
    path: '/api/account/credentials',
    body: '{',
    answer: 400,
    access: 'change',
    withInitialPassword: true,
  },
  {
    route: 'POST /api/auth/session/sign-in/username',
    path: '/api/auth/session/sign-in/username',
    body: '{',
    answer: 400,
    access: 'everyone',
    withInitialPassword: true,
  },
  {
    route: 'POST /api/auth/session/sign-out',
    path: '/api/auth/session/sign-out',
    answer: 200,
    access: 'everyone',
    withInitialPassword: true,
  },
  {
    route: 'GET /api/auth/session/get-session',
    path: '/api/auth/session/get-session',
    answer: 200,
    access: 'everyone',
    withInitialPassword: true,
  },
  // A stream that is open does not end, so this asks with a parameter that is too long.
  { route: 'GET /api/events', path: `/api/events?lastEventId=${'x'.repeat(101)}`, answer: 400, ...content },
  { route: 'GET /api/jobs', path: '/api/jobs', answer: 200, access: 'key' },
  { route: 'GET /api/jobs/{id}', path: '/api/jobs/9', answer: 404, access: 'key' },
  { route: 'GET /api/jobs/{id}/log', path: '/api/jobs/9/log', answer: 404, access: 'key' },
  { route: 'POST /api/jobs/{id}/cancel', path: '/api/jobs/abc/cancel', answer: 400, access: 'change' },
  { route: 'POST /api/jobs/{id}/retry', path: '/api/jobs/9/retry', answer: 404, access: 'change' },
  { route: 'GET /api/reindex', path: '/api/reindex', answer: 200, access: 'admin' },
  { route: 'POST /api/reindex', path: '/api/reindex', answer: 202, access: 'admin' },
]

export const methodOf = ({ route }: Route): string => (route.startsWith('ALL') ? 'GET' : (route.split(' ')[0] ?? ''))

/** Options that require a key, on routes that a setting opens to everyone. */
export const choices: Route[] = [
  {
    route: 'POST /api/parse',
    path: '/api/parse',
    body: '{"repoUrl": "https://elsewhere.example/a/b", "force": true}',
    answer: 400,
    anonymousAnswer: 403,
    access: 'change',
    switched: { by: 'anonymousParse', to: 'everyone' },
  },
  {
    route: 'POST /api/v1/refresh',
    path: '/api/v1/refresh',
    body: '{"libraryName": "/a/b", "branch": "next"}',
    answer: 404,
    anonymousAnswer: 403,
    access: 'change',
    switched: { by: 'anonymousRefresh', to: 'everyone' },
  },
]
