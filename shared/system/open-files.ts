import { readdirSync, readFileSync } from 'node:fs'

/** How many files and connections this process may have open. Undefined without a limit, or on a system without /proc. */
export function openFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/** Files that questions and jobs open: tables of LanceDB, git, connections to providers. */
const [minReserve, maxReserve] = [16, 512]

const maxAgeMs = 1_000

/**
 * Returns a function that returns how many connections a server may hold, so that questions and jobs can still open files. Its argument is the number
 * of those that are open. Infinite without a limit.
 */
export function connectionLimit(limit = openFilesLimit()): (open: number) => number {
  if (limit === undefined) return () => Number.POSITIVE_INFINITY
  const reserve = Math.min(maxReserve, Math.max(minReserve, Math.floor(limit / 4)))
  let others = 0
  let measuredAtMs = Number.NEGATIVE_INFINITY
  return (open) => {
    if (performance.now() - measuredAtMs > maxAgeMs) {
      others = Math.max(0, openFiles(limit) - open)
      measuredAtMs = performance.now()
    }
    return Math.max(1, limit - others - reserve)
  }
}

/** Reading the list takes a file descriptor, too. */
function openFiles(limit: number): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return limit
  }
}
