import { AppError } from '../../../shared/errors.ts'
import type { ProgressOutput } from './progress-output.ts'

/**
 * Calls `work` for one item after the other, and returns the results. Of several items, one that fails is said and the others go on; the exit
 * code is 1. Throws the error of a single item, and errors that are no AppError.
 */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  { progress }: { progress: ProgressOutput },
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = []
  for (const item of items) {
    try {
      results.push(await work(item))
    } catch (error) {
      if (items.length === 1 || !(error instanceof AppError)) throw error
      progress.remark(error.message)
      process.exitCode = 1
    }
  }
  return results
}
