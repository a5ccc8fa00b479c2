import { addOperations } from '../../shared/api/add-library.ts'
import { contextOperations } from '../../shared/api/context.ts'
import { metricsOperations } from '../../shared/api/metrics.ts'
import type { ApiDescription } from '../../shared/api/openapi.ts'
import { errors, keyNeeded } from '../../shared/api/operations.ts'
import { policyOperations } from '../../shared/api/policies.ts'
import { searchOperations } from '../../shared/api/search.ts'
import { exportOperations } from './export.ts'
import { healthOperations } from './health.ts'

/** What the OpenAPI document of the hosted half is made of. */
export const hostedApi: ApiDescription = {
  tags: ['Search', 'Context', 'Refresh', 'Policies', 'Add Library', 'Metrics'],
  bearer: 'An API key of a teamspace, carrel_sk_…, or a license',
  commonErrors: errors(403, 500),
  operations: {
    ...searchOperations(),
    ...contextOperations(),
    ...addOperations({ security: keyNeeded, add: [404] }),
    ...policyOperations({ errors: [504] }),
    ...metricsOperations,
    ...exportOperations,
    ...healthOperations,
  },
}
