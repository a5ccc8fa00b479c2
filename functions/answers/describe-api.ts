import { addOperations } from '../../shared/api/add-library.ts'
import { contextOperations } from '../../shared/api/context.ts'
import { metricsOperations } from '../../shared/api/metrics.ts'
import type { ApiDescription } from '../../shared/api/openapi.ts'
import { keyNeeded } from '../../shared/api/operations.ts'
import { policyOperations } from '../../shared/api/policies.ts'
import { searchOperations } from '../../shared/api/search.ts'
import { exportOperations } from '../bundles/export-route.ts'
import { healthOperations } from './health-route.ts'

/** What the OpenAPI document of the hosted half is made of. */
export const hostedApi: ApiDescription = {
  tags: ['Search', 'Context', 'Refresh', 'Policies', 'Add Library', 'Metrics'],
  bearer: 'A key of a teamspace, carrel_sk_…, or a license',
  operations: {
    ...searchOperations,
    ...contextOperations,
    ...addOperations(keyNeeded),
    ...policyOperations,
    ...metricsOperations,
    ...exportOperations,
    ...healthOperations,
  },
}
