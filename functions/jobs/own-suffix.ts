import { createHash } from 'node:crypto'

/** Ids of private libraries differ by teamspace, so that no teamspace takes a name, or learns that another one has it. */
export const withOwnSuffix = (teamspace: string, name: string): string =>
  `${name}-${createHash('sha256').update(teamspace).digest('hex').slice(0, 8)}`
