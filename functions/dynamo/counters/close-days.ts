import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb'
import { utcDay } from '../../../shared/time/utc-day.ts'
import type { CountedDay } from '../../../shared/usage/counters.ts'
import { dayCounters } from '../../../shared/usage/usage-event.ts'
import type { Table } from '../table.ts'
import { type Condition, update } from '../update.ts'

/** DynamoDB's own format. A year has about 10,000 attributes; converting each of them would double the time of a read. */
export type Stored = Record<string, AttributeValue>

const clientPrefix = 'users#'
const timePrefix = 'ms#'
const daysOpen = 9
/** An expression of DynamoDB has at most 4 KB. */
const maxRemoved = 500

/** An open day has one attribute per counter; a closed day has all of them in the text `closed`. */
export function dayOf(item: Stored): CountedDay {
  if (item.closed?.S !== undefined) return JSON.parse(item.closed.S) as CountedDay
  const numbersAt = (prefix: string): [string, number][] => {
    const numbers: [string, number][] = []
    for (const name in item) if (name.startsWith(prefix)) numbers.push([name.slice(prefix.length), numberAt(item, name)])
    return numbers
  }
  return {
    date: String(item.sk?.S).slice('DAY#'.length),
    ...countsOf(dayCounters, (counter) => numberAt(item, counter)),
    times: Object.fromEntries(numbersAt(timePrefix)),
    usersByClient: Object.fromEntries(numbersAt(clientPrefix)),
    users: numberAt(item, 'users'),
  }
}

/** Counts the questions whose answer took at most as many ms. */
export const timeAttribute = (bound: number): string => timePrefix + bound

const numberAt = (item: Stored, name: string): number => Number(item[name]?.N ?? 0)

export const countsOf = <Name extends string>(names: readonly Name[], countOf: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>

/**
 * Closes the days of a library that no event can change any more, when the first event of `day` is counted: their counters become one
 * text, which is read faster, and their checkpoints are removed. Events are counted until they are 7 days old and up to 5
 * minutes ahead (`applyUsage`). So when an event of `day` is counted, midnight has passed or is at most 5 minutes away, and the events
 * of 9 days before are 8 days old, less 5 minutes: no delivery or replay counts one, even with a clock that is most of a day slow. An
 * event that is counted later anyway is not shown, so nothing counts twice. Between two first events at most nine days with requests
 * reach that age, so no day stays open, however long the library was idle.
 */
export async function closeDays(table: Table, pk: string, day: string): Promise<void> {
  const last = utcDay(day, -daysOpen)
  const { Items: days = [] } = await table.db.send(
    new QueryCommand({
      TableName: table.name,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': { S: pk }, ':first': { S: 'DAY#' }, ':last': { S: `DAY#${last}` } },
      ScanIndexForward: false,
      Limit: daysOpen,
    }),
  )
  await Promise.all(days.filter(({ closed }) => !closed).map((item) => close(table, pk, item)))
}

/** Does nothing if a counter has changed since it was read. */
async function close(table: Table, pk: string, item: Stored): Promise<void> {
  const { pk: _, sk, ...rest } = item
  const counts = new Set([...dayCounters, 'users', ...Object.keys(rest).filter((name) => rest[name]?.N !== undefined)])
  const conditions = Array.from(counts, (name): Condition => {
    const value = rest[name]?.N
    return value === undefined ? { name, is: 'absent' } : { name, is: '=', value: Number(value) }
  })
  const set = new Map([['closed', JSON.stringify(dayOf(item))]])
  await update(table, { pk, sk: String(sk?.S) }, { set, remove: Object.keys(rest).slice(0, maxRemoved), conditions })
}
