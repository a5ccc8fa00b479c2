import type { Row } from './access-table.ts'

const team = '/api/teamspaces/{team}'
const named = (route: string, more: Pick<Row, 'access' | 'answer'> & Partial<Row>): Row => {
  const path = route.replace(/^\w+ /, '').replace(':team', '{team}')
  return { route, path, ...more }
}

/** The routes of members, invitations, keys and the audit log. */
export const memberRows: Row[] = [
  named('GET /api/teamspaces/:team/members', { access: 'developer', answer: 200 }),
  named('PATCH /api/teamspaces/:team/members/:user', {
    path: `${team}/members/none`,
    body: '{"role": "admin"}',
    access: 'admin',
    answer: 404,
  }),
  named('DELETE /api/teamspaces/:team/members/:user', { path: `${team}/members/none`, access: 'admin', answer: 404 }),
  named('POST /api/teamspaces/:team/leave', { body: '{', access: 'developer', answer: 400 }),
  named('GET /api/teamspaces/:team/invites', { access: 'developer', answer: 200 }),
  named('POST /api/teamspaces/:team/invites', { body: '{', access: 'admin', answer: 400 }),
  named('DELETE /api/teamspaces/:team/invites/:id', { path: `${team}/invites/none`, access: 'admin', answer: 404 }),
  named('GET /api/invites/:token', { path: '/api/invites/none', access: 'signed in', answer: 404 }),
  named('POST /api/invites/:token/accept', { path: '/api/invites/none/accept', access: 'signed in', answer: 404 }),
  named('GET /api/teamspaces/:team/keys', { access: 'developer', answer: 200 }),
  named('POST /api/teamspaces/:team/keys', { body: '{', access: 'developer', answer: 400 }),
  named('DELETE /api/teamspaces/:team/keys/:id', { path: `${team}/keys/none`, access: 'developer', answer: 404 }),
  named('GET /api/teamspaces/:team/audit', { access: 'admin', answer: 200 }),
]
