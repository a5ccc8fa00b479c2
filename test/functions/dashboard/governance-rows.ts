import type { Row } from './access-table.ts'

const team = '/api/teamspaces/{team}'
const named = (route: string, more: Pick<Row, 'access' | 'answer'> & Partial<Row>): Row => {
  const path = route.replace(/^\w+ /, '').replace(':team', '{team}')
  return { route, path, ...more }
}

/** The routes of accounts, policies, rules, licenses and opt-outs. */
export const governanceRows: Row[] = [
  named('GET /api/account/data', { access: 'signed in', answer: 200 }),
  named('DELETE /api/account', { body: '{', access: 'signed in', answer: 400 }),
  named('GET /api/teamspaces/:team/policy', { access: 'developer', answer: 200 }),
  named('PATCH /api/teamspaces/:team/policy', { body: '{', access: 'admin', answer: 400 }),
  named('POST /api/teamspaces/:team/policy/preview', { body: '{', access: 'developer', answer: 400 }),
  named('GET /api/teamspaces/:team/licenses', { access: 'developer', answer: 200 }),
  named('GET /api/teamspaces/:team/licenses/:id/policy', {
    path: `${team}/licenses/none/policy`,
    access: 'developer',
    answer: 404,
  }),
  named('PATCH /api/teamspaces/:team/licenses/:id/policy', {
    path: `${team}/licenses/none/policy`,
    body: '{',
    access: 'admin',
    answer: 400,
  }),
  named('POST /api/teamspaces/:team/licenses/:id/policy/preview', {
    path: `${team}/licenses/none/policy/preview`,
    body: '{',
    access: 'developer',
    answer: 400,
  }),
  named('GET /api/teamspaces/:team/rules', { access: 'developer', answer: 200 }),
  named('PUT /api/teamspaces/:team/rules', { body: '{', access: 'admin', answer: 400 }),
  named('PUT /api/teamspaces/:team/rules/:owner/:repo', {
    path: `${team}/rules/acme/missing`,
    body: '{',
    access: 'admin',
    answer: 400,
  }),
  named('GET /api/teamspaces/:team/limits', { access: 'developer', answer: 200 }),
  named('POST /api/teamspaces/:team/plan-request', { body: '{', access: 'admin', answer: 400 }),
  named('GET /api/teamspaces/:team/opt-outs', { access: 'developer', answer: 200 }),
  named('POST /api/teamspaces/:team/libraries/:owner/:repo/opt-out', {
    path: `${team}/libraries/acme/missing/opt-out`,
    access: 'admin',
    answer: 404,
  }),
  named('DELETE /api/teamspaces/:team/libraries/:owner/:repo/opt-out', {
    path: `${team}/libraries/acme/missing/opt-out`,
    access: 'admin',
    answer: 404,
  }),
]
