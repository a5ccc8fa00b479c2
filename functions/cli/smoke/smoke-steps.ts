import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { readBundle } from '../../../shared/bundle/read-bundle.ts'
import { AppError } from '../../../shared/errors.ts'
import { pluralize } from '../../../shared/text/figures.ts'
import { askOverMcp } from './ask-over-mcp.ts'
import { LeftOut, type SmokeStep } from './run-smoke.ts'
import type { SmokeApi } from './smoke-api.ts'

const pollMs = 1000

export type Smoke = {
  baseUrl: string
  key: string
  /** An offline license. Without it, the export is not tried. */
  license: string | undefined
  repoUrl: string
  platform: 'github' | 'gitlab'
  api: SmokeApi
}

/** Facts that a step finds out for later ones. */
type Journey = Smoke & {
  library: string
  isNew: boolean
  /** Words that are in the library. */
  question: string
  /** Absent if they could not be read. */
  countedBefore?: Counted
}

type JourneyStep = Omit<SmokeStep, 'run'> & { run(journey: Journey, signal: AbortSignal): Promise<string> }

/** The journey of a library, from its addition to its counters. */
export function smokeSteps(smoke: Smoke): SmokeStep[] {
  const journey: Journey = { ...smoke, library: '', isNew: false, question: '' }
  return steps.map((step) => ({ ...step, run: (signal) => step.run(journey, signal) }))
}

const steps: JourneyStep[] = [
  {
    step: 'ready',
    timeoutMs: 30_000,
    required: true,
    advice: 'Check the address, the log of Api and the alarms of the stage.',
    run: checkReady,
  },
  {
    step: 'add',
    timeoutMs: 30_000,
    required: true,
    advice: 'Check the log of Api, and that the stage reaches the git host.',
    run: addLibrary,
  },
  {
    step: 'worker',
    timeoutMs: 15 * 60_000,
    required: true,
    advice: 'Check the logs of StartWorker and Worker, and the queue DeadJobs.',
    run: waitForWorker,
  },
  {
    step: 'search',
    timeoutMs: 60_000,
    advice: 'Check the log of Schedule, which publishes the list of libraries if a worker has not.',
    run: findLibrary,
  },
  {
    step: 'context',
    timeoutMs: 30_000,
    advice: 'Check the log of Api, and that it may read the bucket Content.',
    run: askOverRest,
  },
  {
    step: 'mcp',
    timeoutMs: 30_000,
    advice: 'Check the log of Api.',
    run: async (journey, signal) => `query-docs returned ${pluralize((await askOverMcp(journey, signal)).length, 'character')}.`,
  },
  { step: 'export', timeoutMs: 10 * 60_000, advice: 'Check the log of Export.', run: exportLibrary },
  {
    step: 'metrics',
    timeoutMs: 60_000,
    advice: 'Check the log of ApplyUsage and the alarm UsageIteratorAge.',
    run: waitForCounters,
  },
]

const Ready = z.object({ ready: z.literal(true) })

async function checkReady({ api }: Journey, signal: AbortSignal): Promise<string> {
  await api.read('/api/ready', Ready, { signal })
  return 'The stores can be read.'
}

const Added = z.object({ libraryName: z.string() })

async function addLibrary(journey: Journey, signal: AbortSignal): Promise<string> {
  const { api, platform, repoUrl } = journey
  const body = { docsRepoUrl: repoUrl }
  try {
    const { libraryName } = await api.read(`/api/v2/add/repo/${platform}`, Added, { signal, body })
    Object.assign(journey, { library: libraryName, isNew: true })
    return `${libraryName} was added.`
  } catch (error) {
    const library = existingId(error)
    journey.library = library
    const refreshed = await unless('job_active', () => refresh(journey, signal))
    return refreshed === undefined ? `${library} has a job already.` : `${library} existed; it is being refreshed.`
  }
}

/** The id at the beginning of the message about a repository that was added before. Throws every other error. */
function existingId(error: unknown): string {
  const id = error instanceof AppError && error.code === 'duplicate_repo' && /^\/\S+/.exec(error.message)?.[0]
  if (id) return id
  throw error
}

const refresh = ({ api, library }: Journey, signal: AbortSignal): Promise<string> =>
  api.ask('/api/v1/refresh', { signal, body: { libraryName: library } })

/** A refresh is accepted only after the job before it has ended. It queues another job. */
async function waitForWorker(journey: Journey, signal: AbortSignal): Promise<string> {
  if (journey.isNew) await until(signal, () => hasContent(journey, signal))
  else await until(signal, () => unless('job_active', () => refresh(journey, signal)))
  return `The job of ${journey.library} has ended.`
}

/** Undefined until the first parse has succeeded. Throws if it has failed. */
async function hasContent({ api, library }: Journey, signal: AbortSignal): Promise<true | undefined> {
  try {
    await api.ask(contextPath(library, library), { signal })
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'no_snippets_found') return true
    if (error.code === 'library_not_found' && !error.message.includes('has no content')) return undefined
    throw error
  }
}

const Found = z.object({ results: z.array(z.object({ id: z.string(), totalSnippets: z.int() })) })

async function findLibrary(journey: Journey, signal: AbortSignal): Promise<string> {
  const { api, library } = journey
  const name = encodeURIComponent(library.slice(library.lastIndexOf('/') + 1))
  const search = () => api.read(`/api/v2/libs/search?libraryName=${name}`, Found, { signal })
  const found = await until(signal, async () => {
    const answer = await unless('no_libraries_found', search)
    return answer?.results.find(({ id }) => id === library)
  })
  return `${library} was found with ${pluralize(found.totalSnippets, 'snippet')}.`
}

const Pages = z.object({ pages: z.array(z.object({ title: z.string() })) })

async function askOverRest(journey: Journey, signal: AbortSignal): Promise<string> {
  const { api, library } = journey
  const { pages } = await api.read(`/api/v2/libs${library}/pages?type=json`, Pages, { signal })
  // Any page is found by its own title; the title of a library may be in none of its pages.
  journey.question = pages[0]?.title || library
  const before = await readMetrics(journey, signal).catch(() => undefined)
  if (before) journey.countedBefore = before
  const text = await api.ask(contextPath(library, journey.question), { signal })
  return `${pluralize(text.length, 'character')} were returned.`
}

const contextPath = (library: string, query: string): string =>
  `/api/v2/context?libraryId=${library}&query=${encodeURIComponent(query)}`

async function exportLibrary({ api, library, license }: Journey, signal: AbortSignal): Promise<string> {
  if (license === undefined)
    throw new LeftOut('Not run: --license takes an offline license, from "license issue --kind offline".')
  const body = { library: library.slice(1) }
  const request = { signal, key: license, body }
  // A large export is built first.
  const chunks = await until(signal, () =>
    unless('temporarily_unavailable', () => api.download('/api/v1/enterprise/export', request)),
  )
  let versions = 0
  for await (const events of readBundle(chunks, 'The export')) versions += events.filter(({ kind }) => kind === 'end').length
  return `${library} was exported: ${pluralize(versions, 'version')}.`
}

const Metrics = z.object({ total: z.object({ txt: z.int(), mcp: z.int() }) })
type Counted = z.infer<typeof Metrics>['total']

async function readMetrics({ api, library }: Journey, signal: AbortSignal): Promise<Counted> {
  try {
    return (await api.read(`/api/v2/libs/metrics?libraryId=${library}&days=2`, Metrics, { signal })).total
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'access_denied') throw error
    const advice = `Run "hosted own ${library} --teamspace NAME" with the teamspace of the key.`
    throw new AppError('access_denied', `${error.message} ${advice}`, { cause: error })
  }
}

async function waitForCounters(journey: Journey, signal: AbortSignal): Promise<string> {
  const { txt, mcp } = journey.countedBefore ?? { txt: 0, mcp: 0 }
  const counted = await until(signal, async () => {
    const total = await readMetrics(journey, signal)
    return total.txt > txt && total.mcp > mcp ? total : undefined
  })
  return `The questions were counted. In two days: ${counted.txt} over REST, ${counted.mcp} over MCP.`
}

/** The result of `work`; undefined if it fails with this code. */
async function unless<T>(code: AppError['code'], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && error.code === code) return undefined
    throw error
  }
}

/** Repeats `work` until it returns something. Throws when `signal` is aborted. */
async function until<T>(signal: AbortSignal, work: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await work()
    if (result !== undefined) return result
    await sleep(pollMs, undefined, { signal })
  }
}
