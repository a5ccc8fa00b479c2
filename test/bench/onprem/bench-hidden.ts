import { sqliteKeys } from '../../../onprem/accounts/key-store.ts'
import { sqliteLibraryRules } from '../../../onprem/accounts/library-rules.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { median, quantile, type Report } from '../report.ts'
import { fill } from './fill.ts'
import { linkCopies } from './link-copies.ts'
import { prepare } from './prepare.ts'
import { startServerProcess } from './server-process.ts'

const libraries = 1_000
const rounds = 500
const restricted = '/bench/copy-*'

/** Asked for a hidden library and for a missing one, whose names are equally long. */
const requests: Record<string, (name: string) => string> = {
  'one library': (name) => `/api/projects/bench/${name}`,
  'a question': (name) => `/api/v2/context?libraryId=/bench/${name}&query=guide`,
  'its pages': (name) => `/api/v2/libs/bench/${name}/pages`,
  'its metrics': (name) => `/api/v2/libs/metrics?libraryId=/bench/${name}`,
}

/** The time of a library that a caller may not see beside that of a missing one, and the price of rules for a search by name. */
export async function benchHidden({ note }: Report, dataDir: string): Promise<void> {
  const admin = await prepare(dataDir, {})
  const { snippets } = await fill(dataDir, [
    { name: 'one', files: new Map([['README.md', '# Guide\n\nA page.\n']]), questions: [] },
  ])
  linkCopies(dataDir, libraries, { snippets })
  const key = ruleAndKey(dataDir)
  const server = await startServerProcess(dataDir)
  const ask = async (path: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) => {
    const began = performance.now()
    const response = await fetch(server.url + path, { headers })
    await response.arrayBuffer()
    return { ms: performance.now() - began, status: response.status }
  }
  for (const [what, path] of Object.entries(requests)) {
    const [hidden, missing]: [number[], number[]] = [[], []]
    // Half of the rounds are a warm-up.
    for (let round = 0; round < 2 * rounds; round++) {
      const number = 100 + (round % 900)
      const names = [`copy-${number}`, `copy-x${String(number).slice(1)}`]
      // Each is the first of a pair as often as the other.
      const [one, other] = round % 2 === 0 ? names : names.toReversed()
      const answers = [await ask(path(one ?? '')), await ask(path(other ?? ''))]
      const [first, second] = round % 2 === 0 ? answers : answers.toReversed()
      if (round < rounds || !first || !second) continue
      hidden.push(first.ms)
      missing.push(second.ms)
      if (first.status !== second.status) throw new Error(`${path('copy')}: ${first.status} and ${second.status}`)
    }
    for (const [name, times] of [
      ['hidden', hidden],
      ['missing', missing],
    ] as const)
      note({
        figure: `${what}, ${name}: median`,
        measured: median(times),
        unit: 'ms',
        more: `p95 ${quantile(times, 0.95).toFixed(2)}`,
      })
  }
  for (const [who, headers] of [
    ['as a member who sees one', { authorization: `Bearer ${key}` }],
    ['as an admin', { authorization: `Bearer ${admin}` }],
  ] as const) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push((await ask('/api/v2/libs/search?libraryName=one', headers)).ms)
    note({ figure: `search by name among ${libraries}, ${who}: median`, measured: median(times), unit: 'ms' })
  }
  await server.stop()
}

function ruleAndKey(dataDir: string): string {
  const db = openDatabase(dataDir)
  sqliteLibraryRules(db).set({ pattern: restricted, access: 'restricted', groups: ['team'], users: [] })
  const { key } = sqliteKeys(db, () => new Date()).create({ name: 'stranger', role: 'member' })
  db.close()
  return key
}
