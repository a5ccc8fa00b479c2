import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { pluralize } from '../../../shared/text/figures.ts'
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

const Ready = z.object({ ready: z.literal(true) })
const Added = z.object({ libraryName: z.string() })
const Found = z.object({ results: z.array(z.object({ id: z.string(), title: z.string(), totalSnippets: z.int() })) })
const Metrics = z.object({ total: z.object({ txt: z.int(), mcp: z.int() }) })
const Exported = z.object({ libraries: z.array(z.object({ project: z.string() })).min(1) })

/** The journey of a library, from its addition to its counters, in the order in which the steps depend on each other. */
export function smokeSteps({ baseUrl, key, license, repoUrl, platform, api }: Smoke): SmokeStep[] {
  let library = ''
  let title = ''
  let isNew = false
  let before: z.infer<typeof Metrics>['total'] | undefined
  const metrics = async (signal: AbortSignal) =>
    (await api.read(`/api/v2/libs/metrics?libraryId=${library}&days=2`, Metrics, { signal })).total
  const refresh = (signal: AbortSignal) => api.ask('/api/v1/refresh', { signal, body: { libraryName: library } })
  const searched = async (signal: AbortSignal) => {
    const name = library.slice(library.lastIndexOf('/') + 1)
    const { results } = await api.read(`/api/v2/libs/search?libraryName=${encodeURIComponent(name)}`, Found, { signal })
    return results.find(({ id }) => id === library)
  }
  return [
    {
      step: 'ready',
      timeoutMs: 30_000,
      required: true,
      advice: 'Check the address, the log of Api and the alarms of the stage.',
      async run(signal) {
        await api.read('/api/ready', Ready, { signal })
        return 'The stores can be read.'
      },
    },
    {
      step: 'add',
      timeoutMs: 30_000,
      required: true,
      advice: 'Check the log of Api, and that the stage reaches the git host.',
      async run(signal) {
        const added = await unless('duplicate_repo', () =>
          api.read(`/api/v2/add/repo/${platform}`, Added, { signal, body: { docsRepoUrl: repoUrl } }),
        )
        isNew = added !== undefined
        library = added?.libraryName ?? `/${new URL(repoUrl).pathname.split('/').filter(Boolean).slice(0, 2).join('/')}`
        if (isNew) return `${library} was added.`
        const refreshed = await unless('job_active', () => refresh(signal))
        return refreshed === undefined ? `${library} has a job already.` : `${library} existed; it is being refreshed.`
      },
    },
    {
      step: 'worker',
      timeoutMs: 15 * 60_000,
      required: true,
      advice: 'Check the logs of StartWorker and Worker, and the queue DeadJobs.',
      async run(signal) {
        // A refresh is accepted once the job before it has ended; it queues one more.
        if (isNew) await until(signal, () => contentOf(api, library, signal))
        else await until(signal, () => unless('job_active', () => refresh(signal)))
        return `The job of ${library} has ended.`
      },
    },
    {
      step: 'search',
      timeoutMs: 60_000,
      advice: 'Check the log of Schedule, which publishes the list of libraries if a worker has not.',
      async run(signal) {
        const found = await until(signal, () => unless('no_libraries_found', () => searched(signal)))
        title = found.title
        return `${library} was found with ${pluralize(found.totalSnippets, 'snippet')}.`
      },
    },
    {
      step: 'context',
      timeoutMs: 30_000,
      advice: 'Check the log of Api, and that it may read the bucket Content.',
      async run(signal) {
        before = await metrics(signal).catch(() => undefined)
        const text = await api.ask(contextPath(library, title || library), { signal })
        return `${text.length} characters were returned.`
      },
    },
    {
      step: 'mcp',
      timeoutMs: 30_000,
      advice: 'Check the log of Api.',
      run: async (signal) =>
        `query-docs returned ${(await askOverMcp({ baseUrl, key, library, title, signal })).length} characters.`,
    },
    {
      step: 'export',
      timeoutMs: 120_000,
      advice: 'Check the log of Export.',
      async run(signal) {
        if (license === undefined)
          throw new LeftOut('Not run: --license takes an offline license, from "license issue --kind offline".')
        const body = { library: library.slice(1) }
        const { libraries } = await api.read('/api/v1/enterprise/export', Exported, { signal, key: license, body })
        return `${libraries[0]?.project} was exported: ${pluralize(libraries.length, 'version')}.`
      },
    },
    {
      step: 'metrics',
      timeoutMs: 60_000,
      advice: 'Check the log of ApplyUsage and the alarm UsageIteratorAge.',
      async run(signal) {
        const { txt, mcp } = before ?? { txt: 0, mcp: 0 }
        const total = await until(signal, async () => {
          const counted = await metrics(signal).catch((error: unknown) => Promise.reject(withOwner(error, library)))
          return counted.txt > txt && counted.mcp > mcp ? counted : undefined
        })
        return `The questions were counted: ${total.txt} as text, ${total.mcp} over MCP in two days.`
      },
    },
  ]
}

const contextPath = (library: string, query: string): string =>
  `/api/v2/context?libraryId=${library}&query=${encodeURIComponent(query)}`

/** Undefined until the first parse has succeeded. */
async function contentOf(api: SmokeApi, library: string, signal: AbortSignal): Promise<true | undefined> {
  try {
    await api.ask(contextPath(library, library), { signal })
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'no_snippets_found') return true
    if (error.code === 'library_not_found' && !/has no content/.test(error.message)) return undefined
    throw error
  }
}

const withOwner = (error: unknown, library: string): unknown =>
  error instanceof AppError && error.code === 'access_denied'
    ? new AppError(
        'access_denied',
        `${error.message} Run "hosted own ${library} --teamspace NAME" with the teamspace of the key.`,
      )
    : error

type Asked = { baseUrl: string; key: string; library: string; title: string; signal: AbortSignal }

async function askOverMcp({ baseUrl, key, library, title, signal }: Asked): Promise<string> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'carrel-smoke', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` }, redirect: 'error' as const, signal }
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }))
    const called = await client.callTool({ name: 'query-docs', arguments: { libraryId: library, query: title || library } })
    const text = called.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    if (called.isError) throw new AppError('command_failed', text)
    return text
  } finally {
    await client.close().catch(() => undefined)
  }
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
