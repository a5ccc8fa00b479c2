/** The callers that may use a route. A member with a higher role may do what one with a lower role may. */
export type Access = 'everybody' | 'signed in' | 'developer' | 'admin' | 'owner'

export type Row = {
  /** The route as the dashboard declares it. */
  route: string
  /** The requested path: `{team}` is the teamspace of the callers, or one that they cannot see. */
  path: string
  /** The text of the body. The table changes nothing: its bodies are invalid, or its ids unknown. */
  body?: string
  access: Access
  /** The status for callers that may use the route. */
  answer: number
}

const unknownId = '0'.repeat(64)

/** Every route of the dashboard, once, except those of members. */
export const rows: Row[] = [
  { route: 'GET /auth/sign-in', path: '/auth/sign-in', access: 'everybody', answer: 302 },
  { route: 'GET /auth/callback', path: '/auth/callback', access: 'everybody', answer: 400 },
  { route: 'POST /auth/sign-out', path: '/auth/sign-out', access: 'everybody', answer: 200 },
  { route: 'GET /api/openapi.json', path: '/api/openapi.json', access: 'everybody', answer: 200 },
  { route: 'GET /api/session', path: '/api/session', access: 'signed in', answer: 200 },
  { route: 'GET /api/sessions', path: '/api/sessions', access: 'signed in', answer: 200 },
  { route: 'DELETE /api/sessions/:id', path: `/api/sessions/${unknownId}`, access: 'signed in', answer: 404 },
  // Ends the session of its caller, so each caller of the table signs in for each row.
  { route: 'DELETE /api/sessions', path: '/api/sessions', access: 'signed in', answer: 200 },
  { route: 'POST /api/teamspaces', path: '/api/teamspaces', body: '{', access: 'signed in', answer: 400 },
  { route: 'GET /api/teamspaces/:team', path: '/api/teamspaces/{team}', access: 'developer', answer: 200 },
  { route: 'PATCH /api/teamspaces/:team', path: '/api/teamspaces/{team}', body: '{', access: 'owner', answer: 400 },
  { route: 'DELETE /api/teamspaces/:team', path: '/api/teamspaces/{team}', body: '{', access: 'owner', answer: 400 },
  { route: 'GET /api/teamspaces/:team/libraries', path: '/api/teamspaces/{team}/libraries', access: 'developer', answer: 200 },
  {
    route: 'POST /api/teamspaces/:team/libraries',
    path: '/api/teamspaces/{team}/libraries',
    body: '{',
    access: 'developer',
    answer: 400,
  },
  {
    route: 'POST /api/teamspaces/:team/libraries/recognize',
    path: '/api/teamspaces/{team}/libraries/recognize',
    body: '{',
    access: 'developer',
    answer: 400,
  },
  ...['website', 'llmstxt', 'openapi'].map((kind) => ({
    route: `POST /api/teamspaces/:team/sources/${kind}`,
    path: `/api/teamspaces/{team}/sources/${kind}`,
    body: '{',
    access: 'developer' as const,
    answer: 400,
  })),
  ...['openapi-upload', 'confluence'].map((kind) => ({
    route: `POST /api/teamspaces/:team/sources/${kind}`,
    path: `/api/teamspaces/{team}/sources/${kind}`,
    body: '{',
    access: 'admin' as const,
    answer: 400,
  })),
  { route: 'GET /api/teamspaces/:team/jobs', path: '/api/teamspaces/{team}/jobs', access: 'developer', answer: 200 },
  { route: 'GET /api/teamspaces/:team/usage', path: '/api/teamspaces/{team}/usage', access: 'developer', answer: 200 },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo',
    path: '/api/teamspaces/{team}/libraries/acme/missing',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'DELETE /api/teamspaces/:team/libraries/:owner/:repo',
    path: '/api/teamspaces/{team}/libraries/acme/missing',
    access: 'admin',
    answer: 404,
  },
  {
    route: 'POST /api/teamspaces/:team/libraries/:owner/:repo/refresh',
    path: '/api/teamspaces/{team}/libraries/acme/missing/refresh',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/source',
    path: '/api/teamspaces/{team}/libraries/acme/missing/source',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'PATCH /api/teamspaces/:team/libraries/:owner/:repo/source',
    path: '/api/teamspaces/{team}/libraries/acme/missing/source',
    body: '{',
    access: 'admin',
    answer: 400,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/pages',
    path: '/api/teamspaces/{team}/libraries/acme/missing/pages',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/flagged',
    path: '/api/teamspaces/{team}/libraries/acme/missing/flagged',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/changes',
    path: '/api/teamspaces/{team}/libraries/acme/missing/changes',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/usage',
    path: '/api/teamspaces/{team}/libraries/acme/missing/usage',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'POST /api/teamspaces/:team/libraries/:owner/:repo/claim',
    path: '/api/teamspaces/{team}/libraries/acme/missing/claim',
    access: 'admin',
    answer: 404,
  },
  {
    route: 'POST /api/teamspaces/:team/libraries/:owner/:repo/claim/verify',
    path: '/api/teamspaces/{team}/libraries/acme/missing/claim/verify',
    access: 'admin',
    answer: 404,
  },
  {
    route: 'DELETE /api/teamspaces/:team/libraries/:owner/:repo/claim',
    path: '/api/teamspaces/{team}/libraries/acme/missing/claim',
    access: 'admin',
    answer: 404,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/pages/:path{.+}',
    path: '/api/teamspaces/{team}/libraries/acme/missing/pages/README.md',
    access: 'developer',
    answer: 404,
  },
  {
    route: 'GET /api/teamspaces/:team/libraries/:owner/:repo/ask',
    path: '/api/teamspaces/{team}/libraries/acme/missing/ask?query=lever',
    access: 'developer',
    answer: 404,
  },
  { route: 'GET /api/teamspaces/:team/git-tokens', path: '/api/teamspaces/{team}/git-tokens', access: 'developer', answer: 200 },
  {
    route: 'PUT /api/teamspaces/:team/git-tokens/:host',
    path: '/api/teamspaces/{team}/git-tokens/github',
    body: '{',
    access: 'admin',
    answer: 400,
  },
  {
    route: 'DELETE /api/teamspaces/:team/git-tokens/:host',
    path: '/api/teamspaces/{team}/git-tokens/github',
    access: 'admin',
    answer: 404,
  },
  { route: 'GET /api/teamspaces/:team/confluence', path: '/api/teamspaces/{team}/confluence', access: 'developer', answer: 200 },
  {
    route: 'PUT /api/teamspaces/:team/confluence',
    path: '/api/teamspaces/{team}/confluence',
    body: '{',
    access: 'admin',
    answer: 400,
  },
  {
    route: 'DELETE /api/teamspaces/:team/confluence',
    path: '/api/teamspaces/{team}/confluence',
    access: 'admin',
    answer: 404,
  },
  // The teamspaces of the table have no offline license.
  { route: 'GET /api/teamspaces/:team/exports', path: '/api/teamspaces/{team}/exports', access: 'developer', answer: 403 },
  {
    route: 'POST /api/teamspaces/:team/exports',
    path: '/api/teamspaces/{team}/exports',
    body: '{',
    access: 'developer',
    answer: 403,
  },
  {
    route: 'GET /api/teamspaces/:team/exports/libraries',
    path: '/api/teamspaces/{team}/exports/libraries?q=a',
    access: 'developer',
    answer: 403,
  },
  {
    route: 'GET /api/teamspaces/:team/exports/:id',
    path: '/api/teamspaces/{team}/exports/none',
    access: 'developer',
    answer: 403,
  },
  { route: 'GET /api/teamspaces/:team/selections', path: '/api/teamspaces/{team}/selections', access: 'developer', answer: 403 },
  {
    route: 'GET /api/teamspaces/:team/selections/:id',
    path: '/api/teamspaces/{team}/selections/none',
    access: 'developer',
    answer: 403,
  },
  {
    route: 'PUT /api/teamspaces/:team/selections/:id',
    path: '/api/teamspaces/{team}/selections/none',
    body: '{',
    access: 'developer',
    answer: 403,
  },
  {
    route: 'DELETE /api/teamspaces/:team/selections/:id',
    path: '/api/teamspaces/{team}/selections/none',
    access: 'developer',
    answer: 403,
  },
]
