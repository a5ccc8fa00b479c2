import { z } from 'zod/mini'
import { Days } from '../../../../shared/web/usage/usage-search.ts'

/** The parameters in the address of the page of all libraries. */
export const teamUsageSearch = z.object({ days: Days })

/** The parameters in the address of a page that shows the usage of a library; `version` is empty for all its requests. */
export const libraryUsageSearch = z.object({ days: Days, version: z.catch(z._default(z.string(), ''), '') })
