import { z } from 'zod'
import { CheckedHeader } from '../../shared/api/checked-header.ts'
import type { ApiDescription } from '../../shared/api/openapi-document.ts'
import { sessionCookieName } from '../accounts/accounts.ts'

/** A response header of routes that may ask the hosted service. */
export const HostedHeader = z.object({
  'X-Carrel-Hosted': z
    .enum(['answered', 'unavailable'])
    .optional()
    .describe('With an online license: whether the hosted service responded. Absent if it was not asked'),
})

export const ContextHeader = HostedHeader.extend(CheckedHeader.shape)

/** The tags of the public API come first, in its order. */
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
    'Webhooks',
    'Settings',
    'GitOps',
    'Accounts',
    'Access',
    'Provisioning',
    'Backups',
    'Support',
    'Health',
  ],
  bearer: 'An API key of this install, carrel_op_…',
  sessionCookie: sessionCookieName,
  errorsOfAll: [400, 403, 500, 503, 507],
}
