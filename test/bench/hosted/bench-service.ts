import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startGitServer } from '../../fixtures/git-server.ts'
import { originSecret } from '../../fixtures/lambda-events.ts'
import { listening } from '../../fixtures/listening.ts'
import { startStage } from '../../fixtures/stage.ts'
import { type DocumentationOptions, documentation } from '../documentation.ts'
import { quantile, type Report, timed } from '../report.ts'
import { questionsOf } from './bench-s3.ts'

const [warmUps, asked, atOnce] = [100, 600, 8]

/** Questions to the API as a service, over HTTP, with the stores of a stage emulated. */
export async function benchService({ note }: Report, folder: string, options: DocumentationOptions): Promise<void> {
  const work = join(folder, 'service')
  await mkdir(work)
  const { libraries } = await documentation(options, work)
  const [stage, git] = await Promise.all([startStage(), startGitServer()])
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url })
  const { awsHosted, awsWorker } = await import('../../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../../functions/jobs/add-library.ts')
  const { workLibrary } = await import('../../../functions/worker/work-library.ts')
  for (const { name, files } of libraries) {
    await git.create(`bench/${name}`, { files: Object.fromEntries(files) })
    await addLibrary(awsHosted(), { repoUrl: `${git.url}/bench/${name}`, isPrivate: false })
    await workLibrary(awsWorker(), `/bench/${name}`, new AbortController().signal)
  }
  const questions = libraries.flatMap((library) =>
    questionsOf(library).map((query) => new URLSearchParams({ libraryId: `/bench/${library.name}`, query })),
  )
  const service = spawn(process.execPath, ['functions/entries/service.ts'], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await listening(service)
  const ask = async (n: number) => {
    // An address each, because the questions of one are limited.
    const headers = { 'x-origin-secret': originSecret, 'x-viewer-address': `10.0.${n >> 8}.${n & 255}` }
    const response = await fetch(`${url}/api/v2/context?${questions[n % questions.length]}`, { headers })
    await response.arrayBuffer()
    if (response.status !== 200 && response.status !== 404) throw new Error(`HTTP ${response.status}`)
  }
  try {
    let next = 0
    while (next < warmUps) await ask(next++)
    const before = cpuSecondsOf(service)
    const times: number[] = []
    const client = async () => {
      for (let n = 0; n < asked / atOnce; n++) times.push(await timed(() => ask(next++)))
    }
    await Promise.all(Array.from({ length: atOnce }, client))
    const each = (1000 * (cpuSecondsOf(service) - before)) / times.length
    const more = `${atOnce} at once: p50 ${quantile(times, 0.5).toFixed(0)}, p95 ${quantile(times, 0.95).toFixed(0)} ms`
    note({ figure: 'a question to the service, CPU time', measured: each, unit: 'ms', more })
    note({ figure: '  peak RSS', wanted: { max: 4096 }, measured: peakMbOf(service), unit: 'MB' })
  } finally {
    service.kill('SIGTERM')
    await once(service, 'exit')
    await Promise.all([stage.close(), git.close()])
  }
}

/** The processor time of a process. Linux counts in hundredths of a second. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const peakMbOf = ({ pid }: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
