import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteKeys } from '../../onprem/store/key-store.ts'
import { sqliteCatalog } from '../../onprem/store/sqlite-catalog.ts'
import { ingest } from '../../shared/ingest/ingest.ts'
import { splitPool } from '../../shared/ingest/split-pool.ts'
import { secretBox } from '../../shared/settings/secrets.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { sqliteSettings } from '../../shared/store/settings-store.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { silentProgress } from '../fixtures/silent-progress.ts'
import { makeCorpus, makeQuestions } from './corpus.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

type Row = { figure: string; wanted: string; measured: string; load: string }
const rows: Row[] = []
const note = (figure: string, wanted: string, measured: string) =>
  rows.push({ figure, wanted, measured, load: loadavg()[0]?.toFixed(1) ?? '' })
const median = (values: number[]) => quantile(values, 0.5)
const runs = 5

const folder = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
const git = await startGitServer()
try {
  await parsing()
  await starting()
  await asking('5,000 snippets in 1 library', join(folder, 'small'), { libraries: 1, files: 1250 }, '≤ 12', '≤ 30')
  await asking('100,000 snippets in 200 libraries', join(folder, 'large'), { libraries: 200, files: 125 }, '≤ 15', '≤ 45')
} finally {
  await git.close()
  await rm(folder, { recursive: true, force: true })
}
console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}; medians of ${runs}`)
console.table(rows)

/** Clone to searchable of 935 Markdown files, 5 MB, while answers go on. */
async function parsing(): Promise<void> {
  const corpus = makeCorpus({ files: 935, bytesPerFile: 4300, seed: 7 })
  const bytes = [...corpus.values()].reduce((sum, text) => sum + text.length, 0)
  await git.create('bench/docs', { files: Object.fromEntries(corpus) })
  const speeds: number[] = []
  const peaks: number[] = []
  const healths: number[] = []
  const contexts: number[] = []
  for (let run = 0; run < runs; run++) {
    const dataDir = join(folder, `parse-${run}`)
    const key = await prepare(dataDir)
    const server = await startServerProcess(dataDir)
    speeds.push(935 / (await parse(server, key)))
    peaks.push(server.peakMb())
    const again = { done: false }
    const reparsed = parse(server, key, true).finally(() => {
      again.done = true
    })
    for (const question of makeQuestions(500, run)) {
      if (again.done) break
      contexts.push(await ask(server, '/bench/docs', question))
      healths.push(await timed(() => fetch(`${server.url}/api/health`)))
    }
    await reparsed
    await server.stop()
  }
  note(
    `935 Markdown files, ${(bytes / 1e6).toFixed(1)} MB, clone to searchable`,
    '≥ 150 files/s',
    `${median(speeds).toFixed(0)} files/s`,
  )
  note('  peak RSS', '≤ 400 MB', `${median(peaks).toFixed(0)} MB`)
  note(
    'health while a parse runs',
    '≤ 100 ms',
    `p95 ${quantile(healths, 0.95).toFixed(0)}, max ${Math.max(...healths).toFixed(0)} ms`,
  )
  note(
    'context while a parse runs',
    'p95 ≤ 100 ms',
    `p50 ${median(contexts).toFixed(0)}, p95 ${quantile(contexts, 0.95).toFixed(0)} ms`,
  )
}

async function starting(): Promise<void> {
  const ready: number[] = []
  const idle: number[] = []
  for (let run = 0; run <= runs; run++) {
    const server = await startServerProcess(join(folder, 'start'))
    await sleep(3000)
    if (run > 0) {
      ready.push(server.readyMs)
      idle.push(server.rssMb())
    }
    await server.stop()
  }
  note('npm start to /api/ready', '≤ 1.5 s', `${(median(ready) / 1000).toFixed(2)} s`)
  note('  idle RSS', '≤ 200 MB', `${median(idle).toFixed(0)} MB`)
}

async function asking(
  what: string,
  dataDir: string,
  size: { libraries: number; files: number },
  p50: string,
  p95: string,
): Promise<void> {
  const { ids, snippets } = await fill(dataDir, size)
  const server = await startServerProcess(dataDir)
  for (const [i, question] of makeQuestions(200, 1).entries()) await ask(server, ids[i % ids.length] ?? '', question)
  const halves: number[] = []
  const tails: number[] = []
  for (let run = 0; run < runs; run++) {
    const times: number[] = []
    for (const [i, question] of makeQuestions(300, 10 + run).entries())
      times.push(await ask(server, ids[(i * 7) % ids.length] ?? '', question))
    halves.push(median(times))
    tails.push(quantile(times, 0.95))
  }
  note(`context, ${what} (${snippets})`, `p50 ${p50} ms`, `${median(halves).toFixed(1)} ms`)
  note('', `p95 ${p95} ms`, `${median(tails).toFixed(1)} ms`)
  await crowd(server, ids, what)
  await server.stop()
}

/** 50 clients at once for 10 s. */
async function crowd(server: ServerProcess, ids: string[], what: string): Promise<void> {
  const questions = Array.from({ length: 50 }, (_, client) => makeQuestions(2000, 100 + client))
  const times: number[] = []
  let failed = 0
  const until = performance.now() + 10_000
  await Promise.all(
    questions.map(async (asked, client) => {
      for (const [i, question] of asked.entries()) {
        if (performance.now() > until) return
        try {
          times.push(await ask(server, ids[(i + client) % ids.length] ?? '', question))
        } catch {
          failed += 1
        }
      }
    }),
  )
  note(
    `50 clients for 10 s, ${what}`,
    'no error',
    `${failed} errors, ${(times.length / 10).toFixed(0)}/s, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  )
}

/** Libraries written through the real pipeline, from folders instead of clones. */
async function fill(
  dataDir: string,
  { libraries, files }: { libraries: number; files: number },
): Promise<{ ids: string[]; snippets: number }> {
  await prepare(dataDir)
  const db = openDatabase(dataDir)
  const catalog = sqliteCatalog(db, () => new Date())
  const snippets = lanceSnippets(join(dataDir, 'snippets'))
  const splits = splitPool({ workers: 2, timeMs: 20_000, heapMb: 512, threadBytes: 1e6 })
  const ids: string[] = []
  let total = 0
  for (let number = 0; number < libraries; number++) {
    const root = join(dataDir, 'sources', String(number))
    await writeFiles(root, makeCorpus({ files, bytesPerFile: 2600, seed: 1000 + number }))
    const id = { owner: 'bench', repo: `lib-${number}` }
    const webUrl = `${git.url}/bench/lib-${number}`
    const generation = `bench-${number}`
    const address = { platform: 'github' as const, id, baseUrl: git.url, webUrl, cloneUrl: `${webUrl}.git` }
    const work = {
      root,
      address,
      commit: 'bench',
      selection: {},
      limits: { fileBytes: 1e7, files: 1e5 },
      generation,
      suspects: new Set<string>(),
    }
    const report = await ingest({ snippets, splits, progress: silentProgress }, work, new AbortController().signal)
    catalog.reserve(generation, 0)
    catalog.publish(
      {
        id: `/bench/lib-${number}`,
        title: `Library ${number}`,
        description: '',
        branch: 'main',
        sourceUrl: webUrl,
        private: false,
        aliases: [],
        settings: {},
      },
      [{ version: '', ref: 'main', generation, commit: 'bench', rules: [], tokens: report.tokens, snippets: report.snippets }],
    )
    await rm(root, { recursive: true, force: true })
    ids.push(`/bench/lib-${number}`)
    total += report.snippets
  }
  await splits.close()
  snippets.close()
  db.close()
  return { ids, snippets: total }
}

/** A data directory whose GitHub is the bench's git server. Answers an admin's key. */
async function prepare(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const db = openDatabase(dataDir)
  sqliteSettings(db, secretBox(dataDir)).change({ 'github.baseUrl': git.url })
  const { key } = sqliteKeys(db, () => new Date()).create({ name: 'bench', role: 'admin' })
  db.close()
  return key
}

/** Seconds from the request to the finished job. */
async function parse(server: ServerProcess, key: string, force = false): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const began = performance.now()
  const answer = await fetch(`${server.url}/api/parse`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ repoUrl: `${git.url}/bench/docs`, force }),
  })
  const { queueId } = (await answer.json()) as { queueId: number }
  for (;;) {
    const job = (await (await fetch(`${server.url}/api/jobs/${queueId}`, { headers })).json()) as {
      state: string
      error: string | null
    }
    if (job.state === 'done') return (performance.now() - began) / 1000
    if (job.state === 'failed') throw new Error(job.error ?? 'failed')
    await sleep(20)
  }
}

function ask(server: ServerProcess, libraryId: string, query: string): Promise<number> {
  return timed(async () => {
    const answer = await fetch(`${server.url}/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
    await answer.text()
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`HTTP ${answer.status}`)
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function quantile(values: number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}

async function writeFiles(root: string, files: Map<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}
