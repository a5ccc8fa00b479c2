import { z } from 'zod/mini'

export const periods = [7, 30, 90, 365] as const
export type Period = (typeof periods)[number]

/** The period in the address of a page. */
export const Days = z.catch(z._default(z.literal(periods), 30), 30)

/** The parameters in the address of the page; `library` is empty for all libraries. */
export const usageSearch = z.object({ days: Days, library: z.catch(z._default(z.string(), ''), '') })
