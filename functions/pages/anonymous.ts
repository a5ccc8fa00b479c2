import type { Caller } from '../access/caller.ts'

/** The caller of every public page, whatever key the request has. */
export const anonymous: Caller = { kind: 'anonymous' }
