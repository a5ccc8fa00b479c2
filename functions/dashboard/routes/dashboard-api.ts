import { z } from 'zod'
import type { ApiDescription } from '../../../shared/api/openapi-document.ts'

export const dashboardApi: ApiDescription = {
  tags: ['Sign-in', 'Account', 'Teamspaces', 'Members', 'Keys', 'Libraries', 'Claims', 'Usage', 'Policies', 'Exports'],
  sessionCookie: 'carrel-session',
  pathParameters: {
    team: z.string().describe('Id of a teamspace'),
    user: z.string().describe('Id of a member'),
    owner: z.string().describe('Owner of the repository'),
    repo: z.string().describe('The repository, also as repo@version'),
    path: z.string().describe('The `path` of a page'),
    token: z.string().describe('The end of the link of an invitation'),
    id: z.string(),
  },
  errorsOfAll: [403, 500, 503, 507],
}
