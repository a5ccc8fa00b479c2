import type { UsageAnswer } from './usage-answer.ts'

/** The name of a downloaded file. */
export function usageFileName({ libraryId, from, to }: Pick<UsageAnswer, 'libraryId' | 'from' | 'to'>): string {
  const name = (libraryId ?? 'all').replace(/[^a-zA-Z0-9.]+/g, '-').replace(/^-/, '')
  return `carrel-usage-${name}-${from}-${to}.csv`
}

type Cell = string | number | undefined

const columns = ['table', 'date', 'name', 'mcp', 'cli', 'page', 'txt', 'count']

/** Usage as CSV (RFC 4180): one row per day, outcome, percentile, client and day, library, topic and country. Times are in ms. The first column names the table. */
export function usageCsv(usage: UsageAnswer): string {
  const rows: Cell[][] = [
    columns,
    ...usage.daily.map(({ date, mcp, cli, page, txt, total }) => ['requests', date, '', mcp, cli, page, txt, total]),
    ...(['answered', 'uncovered', 'unanswered'] as const).flatMap((outcome) =>
      usage.daily.map((day) => [outcome, day.date, '', '', '', '', '', day[outcome]]),
    ),
    ...answerTimes('', usage.period.answerMs),
    ...usage.daily.flatMap(({ date, answerMs }) => answerTimes(date, answerMs)),
    ...usage.mcpClients.dailyData.flatMap(({ date, uniqueUsersByClient }) =>
      Object.entries(uniqueUsersByClient).map(([client, users]) => ['mcp users', date, client, '', '', '', '', users]),
    ),
    ...usage.libraries.map((each) => ['library', '', each.libraryId, each.mcp, each.cli, each.page, each.txt, each.total]),
    ...usage.topics.map(({ topic, count }) => [topicTable(usage), '', topic, '', '', '', '', count]),
    ...usage.countries.map(({ country, count }) => ['country of all time', '', country, '', '', '', '', count]),
  ]
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
}

const topicTable = ({ topicsFrom }: UsageAnswer): string => (topicsFrom === null ? 'topic of all time' : 'topic')

/** Without a date, those of all days together. */
const answerTimes = (date: string, times: UsageAnswer['period']['answerMs']): Cell[][] =>
  Object.entries(times ?? {}).map(([percentile, ms]) => ['answer ms', date, percentile, '', '', '', '', ms])

/** A cell of CSV. Spreadsheets read a cell that begins with one of these characters as a formula, so such text gets an apostrophe. */
export function csvCell(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = /^\s*[=+\-@|%\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
