import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import { median, type Report } from '../report.ts'
import { countDynamo } from './count-dynamo.ts'
import { makeUsage, recordsOf } from './make-usage.ts'
import { quietLog, withTable } from './temp-hosted.ts'

const now = () => new Date()

/** Measures how many events one core folds, in a child process. */
export async function benchFolding({ note }: Report): Promise<void> {
  const script = fileURLToPath(new URL('./fold-events.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script])
  const { sorted, hot, spread } = JSON.parse(stdout) as Record<'sorted' | 'hot' | 'spread', number>
  const unit = 'events/s per core'
  const more = 'batches of one library, dynamoCounters on a table that responds immediately'
  note({ figure: 'applyUsage folds', wanted: { min: 100_000 }, measured: hot, unit, more })
  note({ figure: '  batches over 200 libraries', measured: spread, unit, more: 'about 2,200 commands per batch' })
  note({ figure: '  reading and sorting alone', measured: sorted, unit })
}

/** Writes of a batch of 10,000 events over 200 libraries. */
export async function benchWrites({ note }: Report, folder: string): Promise<void> {
  const [libraries, runs] = [200, 5]
  await withTable(join(folder, 'writes'), async (table) => {
    const counters = dynamoCounters({ table, log: quietLog, now })
    const batch = async (run: number) => {
      // Half of the users were in the previous batch, so every sketch changes.
      const userOf = (n: number) => (n % 2 === 0 ? n : n + run * 10_000)
      const usage = makeUsage(10_000, { libraries, clients: 3, topics: 1000, at: now().toISOString(), seed: run, userOf })
      const records = recordsOf(usage, run * 10_000)
      const calls = await countDynamo(() =>
        applyUsage({ counters, log: quietLog, now }, { shard: 'shardId-000000000001', records }),
      )
      const byLibrary = Map.groupBy(
        calls.filter(({ isWrite }) => isWrite),
        ({ pk }) => pk,
      )
      const counts = Array.from(byLibrary.values(), (each) => each.length)
      return { mean: counts.reduce((sum, each) => sum + each, 0) / libraries, max: Math.max(...counts) }
    }
    const cold = await batch(0)
    const steady = []
    for (let run = 1; run <= runs; run++) steady.push(await batch(run))
    const wanted = { max: 12 }
    const figure = 'batch of 10,000 events, 200 libraries, 3 clients: writes per library'
    const atMost = (each: { max: number }) => `at most ${each.max}`
    note({ figure, wanted, measured: cold.mean, unit: 'writes', more: `on an empty table, ${atMost(cold)}` })
    const maxSteady = { max: Math.max(...steady.map((each) => each.max)) }
    const measured = median(steady.map(({ mean }) => mean))
    note({ figure: '  later batches', wanted, measured, unit: 'writes', more: atMost(maxSteady) })
  })
}
