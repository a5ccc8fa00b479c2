import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Job } from '../../onprem/store/jobs/job.ts'
import { exported } from '../fixtures/exported.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { type AskedAgentQuestion, askAgentQuestions } from './agent-questions.ts'
import { makeVectors, modelsIn, useModel } from './eval-models.ts'
import { printSearches, type ScoredQuestion, type ScoredSearch } from './eval-table.ts'
import { evalWithoutLibrary } from './eval-without-library.ts'

const CatalogueEntry = z.object({
  repo: z.string(),
  libraryId: z.string(),
  title: z.string(),
  description: z.string(),
  starsK: z.number(),
})

const usage = `usage: npm run eval -- KIT [--split NAME]... [--corpus NAME]... [--imported json|zip] [--vectors DIMENSIONS] [--models FOLDER]
  [--api-reference] [--without-library] [-- options of the kit's scorer]
Starts an install on a temporary folder, parses the corpora of the kit (or imports them from a hosted half that parsed them), scores its answers to the
kit's questions, set by set, and asks the questions in agent-questions.json. The last table has the figures beside those of the kit's BM25 floor.
--vectors adds embeddings: feature hashes from an emulated provider, a weak model that must not make answers worse.
--models scores each set without a model and with each of those in the folder, whose format is that of docs/models.md: with the weight of its
vectors as it is by default, and with others. The last tables compare them over all sets, by set and by kind of question.
--api-reference reads it from the source files of the corpora.
--without-library has the corpora of all sets in one install and asks without a library: how often the right one is chosen, and the answers next to
those of the right library, with libraries chosen by their text and as without an index.`

/** Values of embedding.weight; null is the default. */
const weights = [null, 40, 70, 100]

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    split: { type: 'string', multiple: true },
    corpus: { type: 'string', multiple: true },
    imported: { type: 'string' },
    vectors: { type: 'string' },
    models: { type: 'string' },
    'api-reference': { type: 'boolean' },
    'without-library': { type: 'boolean' },
  },
})
const [kit = '', ...scorerOptions] = positionals
const splits = values.split ?? globSync('*/corpora.json', { cwd: kit }).map(dirname).sort()
const missing = splits.filter((split) => !existsSync(join(kit, split, 'corpora.json')))
if (kit === '' || splits.length === 0 || missing.length > 0) {
  console.error(kit === '' ? usage : `${[kit, ...missing].join(': ')} has no corpora.json\n${usage}`)
  process.exit(2)
}

if (values['without-library']) {
  await evalWithoutLibrary(kit, splits, values.corpus)
  process.exit()
}

const models = values.models === undefined ? [] : modelsIn(values.models)
const table: Record<string, string | number>[] = []
const asked: AskedAgentQuestion[] = []
const searches: ScoredSearch[] = []
for (const split of splits) {
  const baseline = join(kit, split, 'baseline.txt')
  const floor = floorOf(baseline)
  const scored = await evaluate(split)
  const kinds = new Set(scored.flatMap(({ context }) => context.rows.map(({ kind }) => kind)))
  if (values.corpus === undefined) searches.push(floorSearch(split, baseline, kinds))
  for (const { context, code, search, indexingSeconds, answeringSeconds } of scored) {
    const { overall, rows } = context
    const seconds = { 'indexing CPU s': indexingSeconds.toFixed(1), 'answers CPU s': answeringSeconds.toFixed(1) }
    const ours = figures('ours', overall)
    table.push({ set: split, questions: overall.n, ...figures('BM25', floor), ...ours, search, ...seconds })
    searches.push({ set: split, search, questions: rows, indexingSeconds, answeringSeconds })
    if (code !== 0) process.exitCode = code
  }
}
console.table(table)
if (models.length > 0) printSearches(searches)
console.log('Questions as agents ask them: the place of the first snippet of an expected page')
for (const { kind, query, place } of asked)
  console.log(`${kind.padEnd(20)} ${place.padEnd(12)} ${JSON.stringify(query.slice(0, 80))}`)

type Figures = Record<'recall@1' | 'recall@5' | 'in 2k tok' | 'MRR@10', number>

function figures(name: string, of: Figures | undefined): Record<string, string> {
  const keys = ['recall@1', 'recall@5', 'in 2k tok', 'MRR@10'] as const
  return { [`${name}: R@1 / R@5 / in 2k / MRR`]: keys.map((key) => of?.[key].toFixed(3) ?? '–').join(' / ') }
}

/** The figures of all questions of a set, or of its one corpus, in the tables that the kit's baseline printed. Undefined for several corpora. */
function floorOf(file: string): Figures | undefined {
  const [name = 'ALL', ...others] = values.corpus ?? []
  return others.length > 0 ? undefined : floorRow(file, name)
}

function floorRow(file: string, name: string): (Figures & { n: number; 'recall@10': number }) | undefined {
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n')
  const cells = (start: string) =>
    lines
      .find((line) => line.startsWith(`${start} `))
      ?.trim()
      .split(/\s{2,}/)
  const row = cells(name)
  if (!row) return undefined
  return Object.fromEntries((cells('name') ?? []).map((key, i) => [key, Number(row[i])])) as ReturnType<typeof floorRow>
}

/** The floor as a way of searching: each question has the mean figures of its kind. */
function floorSearch(set: string, file: string, kinds: Set<string>): ScoredSearch {
  const questions = [...kinds].flatMap((kind) => {
    const row = floorRow(file, kind)
    if (!row) return []
    const figures = { r1: row['recall@1'], r5: row['recall@5'], r10: row['recall@10'], b2: row['in 2k tok'], mrr: row['MRR@10'] }
    return Array.from({ length: row.n }, () => ({ kind, ...figures }))
  })
  return { set, search: 'BM25 floor', questions, indexingSeconds: 0, answeringSeconds: 0 }
}

type Scored = Pick<ScoredSearch, 'search' | 'indexingSeconds' | 'answeringSeconds'> & {
  context: { overall: Figures & { n: number }; rows: ScoredQuestion[] }
  code: number
}

async function evaluate(split: string): Promise<Scored[]> {
  const folder = resolve(kit, split)
  const read = <T>(name: string, schema: z.ZodType<T>): T => schema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const port = await freePort()
  const gitUrl = `http://127.0.0.1:${port}`
  const git = spawn(process.execPath, [join(kit, 'serve-git.mjs'), '--port', String(port), '--split', split], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(git.stdout, 'data')
  const install = await testInstall({ limits: { embedQuestionMs: 20_000 } })
  install.app.settings.change({ 'github.baseUrl': gitUrl })
  const provider = values.vectors === undefined ? undefined : await startOpenai({ dimensions: Number(values.vectors) })
  try {
    if (provider)
      install.app.settings.change({
        'embedding.provider': 'custom',
        'embedding.baseUrl': provider.url,
        'embedding.model': 'feature hashes',
      })
    loadCatalogue(install, gitUrl, read('catalogue.json', z.array(CatalogueEntry)))
    const corpora = read('corpora.json', z.array(z.object({ repo: z.string(), corpus: z.string() })))
    const repos = corpora.filter(({ corpus }) => values.corpus?.includes(corpus) ?? true).map(({ repo }) => repo)
    const parsing = process.cpuUsage()
    const jobs =
      values.imported === undefined
        ? await parseAll(install, gitUrl, repos)
        : await importAll(install, gitUrl, repos, values.imported)
    const parsed = process.cpuUsage(parsing)
    for (const { project, report } of jobs) {
      console.log(
        `${project}: ${report?.filesRead} files, ${report?.skipped.length} skipped, ${report?.snippetsAfter} snippets, ${report?.durationMs} ms`,
      )
      for (const { path, reason } of report?.skipped.slice(0, 3) ?? []) console.log(`  skipped ${path}: ${reason}`)
    }
    const out = join(install.dataDir, 'scores.json')
    const options = [
      ...['--base-url', install.url, '--queries', join(folder, 'queries.json'), '--libs', join(folder, 'libs.json')],
      ...['--out', out, ...(values.corpus ? ['--corpus', values.corpus.join(',')] : []), ...scorerOptions],
    ]
    const score = async (search: string, indexingSeconds: number): Promise<Scored> => {
      const answering = process.cpuUsage()
      const scorer = spawn(process.execPath, [join(kit, 'score.mjs'), ...options], { stdio: 'inherit' })
      const [code] = await once(scorer, 'exit')
      const { context } = JSON.parse(readFileSync(out, 'utf8')) as Pick<Scored, 'context'>
      const answeringSeconds = secondsOf(process.cpuUsage(answering))
      return { context, code: Number(code), search, indexingSeconds, answeringSeconds }
    }
    const scored = [
      await score(provider ? 'feature hashes' : 'text', secondsOf(parsed) + (provider ? await makeVectors(install) : 0)),
    ]
    const projects = jobs.map(({ project }) => project)
    asked.push(...(await askAgentQuestions(install, projects)))
    for (const model of models) {
      const indexing = await useModel(install, model)
      for (const weight of weights) {
        install.app.settings.change({ 'embedding.weight': weight })
        const shown = weight === null ? 'as shipped' : (weight / 100).toFixed(1)
        scored.push(await score(`${basename(model)}, weight ${shown}`, indexing))
      }
      install.app.settings.change({ 'embedding.weight': null })
    }
    return scored
  } finally {
    await install.close()
    await provider?.close()
    git.kill()
  }
}

function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000_000
}

async function parseAll(install: TestInstall, gitUrl: string, repos: string[]): Promise<Job[]> {
  const jobs: Job[] = []
  for (const repo of repos)
    jobs.push(successful(await install.parse(`${gitUrl}/${repo}`, { apiReference: values['api-reference'] })))
  return jobs
}

/** Imports the corpora as the hosted half exports them: in one zip, or one JSON body for each. */
async function importAll(install: TestInstall, gitUrl: string, repos: string[], format: string): Promise<Job[]> {
  const from = await exported(gitUrl, repos)
  try {
    install.app.settings.change({ 'bundle.trustedKeys': from.bundleKey })
    if (format === 'zip') {
      const form = new FormData()
      form.append('bundleFile', new Blob([await from.zip()]), 'service-libraries.zip')
      return await importBody(install, form)
    }
    const jobs: Job[] = []
    for (const repo of repos) jobs.push(...(await importBody(install, await (await from.json(repo)).text())))
    return jobs
  } finally {
    await from.close()
  }
}

/** Imports a body and waits for its jobs. */
async function importBody(install: TestInstall, body: FormData | string): Promise<Job[]> {
  const response = await install.ask('/api/import-libraries?force=true', {
    method: 'POST',
    key: install.keys.admin,
    headers: typeof body === 'string' ? { 'content-type': 'application/json' } : {},
    body,
  })
  const { queued, skipped, message } = (await response.json()) as { queued: string[]; skipped: unknown[]; message: string }
  if (!response.ok || skipped.length > 0) throw new Error(`${message} ${JSON.stringify(skipped)}`)
  const jobs = install.app.jobs.list(1, 200).jobs.filter(({ kind, project }) => kind === 'import' && queued.includes(project))
  return (await Promise.all(jobs.map(({ id }) => install.ended(id)))).map(successful)
}

function successful<J extends Job>(job: J): J {
  if (job.state !== 'done') throw new Error(`${job.project}: ${job.error ?? job.state}`)
  return job
}

/** Adds the kit's libraries to the catalog, without content. */
function loadCatalogue({ app }: TestInstall, gitUrl: string, entries: z.infer<typeof CatalogueEntry>[]): void {
  for (const { repo, libraryId, title, description, starsK } of entries) {
    app.catalog.publish(
      {
        id: libraryId,
        title,
        description,
        branch: 'main',
        sourceUrl: `${gitUrl}/${repo}`,
        private: false,
        aliases: [],
        stars: Math.round(starsK * 1000),
        settings: {},
      },
      [],
    )
  }
}
