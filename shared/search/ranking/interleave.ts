import type { RankedRow } from './rank.ts'

/** The rows of several rankings, in turns, each once. */
export function interleave(rankings: RankedRow[][]): RankedRow[] {
  const rows = new Map<string, RankedRow>()
  const longest = Math.max(0, ...rankings.map(({ length }) => length))
  for (let i = 0; i < longest; i++)
    for (const ranking of rankings) {
      const next = ranking[i]
      if (next && !rows.has(next.row.id)) rows.set(next.row.id, next)
    }
  return [...rows.values()]
}
