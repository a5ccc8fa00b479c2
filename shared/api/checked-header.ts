import { z } from 'zod'

/** The header of answers to questions about one library. */
export const CheckedHeader = z.object({
  'X-Carrel-Checked': z.iso.datetime().optional().describe('Of one library: when it was last compared with its source'),
})
