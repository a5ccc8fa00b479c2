import type { ApiDescription } from '../../shared/api/openapi-document.ts'

export const hostedApi: ApiDescription = {
  tags: ['Search', 'Context', 'Refresh', 'Policies', 'Add Library', 'Metrics'],
  bearer: 'An API key of a teamspace, carrel_sk_…, or a license',
  errorsOfAll: [403, 429, 500, 507],
}
