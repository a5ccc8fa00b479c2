import { assumed, counting, measured } from './measured.ts'
import { type Compute, fleetOf, type Load } from './monthly-costs.ts'

export type Bottleneck = {
  what: string
  /** Peak use ÷ limit: above 1 it breaks. */
  use: number
  remedy: string
}

const monthSeconds = 730 * 3600
const harmonic = (count: number): number => Math.log(count) + 0.5772
/** Memory of a function or task without the names of libraries. */
const baseGb = 0.6

/** The limits of a load; the first in the list breaks first. */
export function bottlenecksOf(load: Load, compute: Compute): Bottleneck[] {
  const peak = (load.requests / monthSeconds) * assumed.peak
  const { coldShare } = fleetOf(load, compute)
  const memoryGb = (compute === 'lambda' ? measured.functionGb : measured.serviceTask.gb) - baseGb
  const writes = counting.find(({ requests }) => requests >= load.requests)?.writeUnits ?? 0
  const found: Bottleneck[] = [
    {
      what: 'memory for the names of libraries',
      use: (load.libraries * measured.catalogMbPerLibrary) / 1024 / memoryGb,
      remedy: 'searches by name from an index on the disk, or from a LanceDB table of names',
    },
    {
      what: 'names indexed before the first search: 29 s',
      use: (load.libraries * measured.indexSecondsPerLibrary) / 29,
      remedy: 'an index that is stored with the snapshot and grows in place',
    },
    {
      what: 'S3: 5,500 GETs a second of a prefix',
      use: (peak * coldShare * measured.firstQuestion.gets) / 5500,
      remedy: 'more disk for copies; S3 splits a prefix by itself when the load grows slowly',
    },
    {
      what: 'table: 40,000 units of writing a second',
      use: (peak * (writes + measured.limitWriteUnits)) / 40_000,
      remedy: 'a longer window of the consumer, limits counted in memory of a service, a higher quota',
    },
    {
      what: "one library's record: 3,000 units a second of a partition",
      use: (peak * measured.readUnits) / harmonic(load.libraries) / 3000,
      remedy: 'the record kept for a second per container: a library becomes private a second later',
    },
    {
      what: 'stream: 200,000 records a second on demand',
      use: peak / 200_000,
      remedy: 'a higher quota, or records that hold several events',
    },
  ]
  if (compute === 'lambda')
    found.push(
      { what: 'API Gateway: 10,000 requests a second', use: peak / 10_000, remedy: 'a service, or a higher quota' },
      {
        what: 'Lambda: 1,000 runs at once',
        use: (peak * assumed.questionSeconds) / 1000,
        remedy: 'a service, or a higher quota',
      },
    )
  else {
    const tasks = (peak * measured.questionCpuSeconds) / (measured.serviceTask.cpus * 0.6)
    found.push({ what: 'twenty tasks', use: tasks / 20, remedy: 'a higher `max` in `stacks/api-service.ts`' })
  }
  return found.sort((a, b) => b.use - a.use)
}
