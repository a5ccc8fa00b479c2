import { z } from 'zod/mini'
import { Days } from '../../../../shared/web/usage/usage-search.ts'

/** The parameters in the address of the page of all libraries. */
export const teamUsageSearch = z.object({ days: Days })
