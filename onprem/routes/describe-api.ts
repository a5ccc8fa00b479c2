import { z } from 'zod'
import { addOperations } from '../../shared/api/add-library.ts'
import { contextOperations } from '../../shared/api/context.ts'
import { metricsOperations } from '../../shared/api/metrics.ts'
import type { ApiDescription } from '../../shared/api/openapi.ts'
import { errors } from '../../shared/api/operations.ts'
import { policyOperations } from '../../shared/api/policies.ts'
import { searchOperations } from '../../shared/api/search.ts'
import { sessionCookieName } from '../accounts/accounts.ts'
import { accountOperations } from './account.ts'
import { auditOperations } from './audit.ts'
import { healthOperations } from './health.ts'
import { importOperations } from './import-libraries.ts'
import { jobOperations } from './jobs.ts'
import { keyOperations } from './keys.ts'
import { licenseOperations } from './license.ts'
import { parseOperations } from './parse.ts'
import { projectOperations } from './projects.ts'
import { reindexOperations } from './reindex.ts'
import { sessionOperations } from './session.ts'
import { settingsOperations } from './settings.ts'
import { supportBundleOperations } from './support-bundle.ts'
import { userOperations } from './users.ts'

const hostedHeader = z.object({
  'X-Carrel-Hosted': z
    .enum(['answered', 'unavailable'])
    .optional()
    .describe('With an online license: whether the hosted service responded. Absent if it was not asked'),
})

/** What the OpenAPI document of an install is made of: tags of the public API in its own order, then those of an install. */
export const installApi: ApiDescription = {
  tags: [
    'Search',
    'Context',
    'Refresh',
    'Policies',
    'Add Library',
    'Metrics',
    'Parse',
    'Import',
    'Projects',
    'Jobs',
    'Settings',
    'Accounts',
    'Support',
    'Health',
  ],
  bearer: 'An API key of this install, carrel_op_…',
  sessionCookie: sessionCookieName,
  commonErrors: errors(400, 403, 500),
  ownTags: ['Health'],
  operations: {
    ...searchOperations({ headers: hostedHeader, errors: [429] }),
    ...contextOperations({ headers: hostedHeader, errors: [429, 504] }),
    ...addOperations({ refresh: [504] }),
    ...metricsOperations,
    ...policyOperations({ headers: hostedHeader }),
    ...parseOperations,
    ...projectOperations,
    ...importOperations,
    ...jobOperations,
    ...reindexOperations,
    ...settingsOperations,
    ...healthOperations,
    ...sessionOperations,
    ...accountOperations,
    ...userOperations,
    ...keyOperations,
    ...auditOperations,
    ...licenseOperations,
    ...supportBundleOperations,
  },
}
