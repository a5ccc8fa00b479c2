import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { libraryChecks } from '../../../onprem/store/library-checks.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { type Report, timed } from '../report.ts'
import { fill } from './fill.ts'
import { linkCopies } from './link-copies.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const libraries = 1000
/** The default of the setting refresh.parallel. */
const parallel = 4
/** The list of refs of the host, in two requests: which protocol it supports, then the refs. */
const requestsPerCheck = 2
const schedule = 'weekly'
const startMs = 30_000

/** A check of libraries whose repositories have not changed, which are all due at the same time. */
export async function benchChecks({ note }: Report, dataDir: string): Promise<void> {
  const git = await startGitServer()
  const key = await prepare(dataDir, { 'github.baseUrl': git.url, 'refresh.schedule': schedule, 'refresh.parallel': parallel })
  const { snippets } = await fill(dataDir, [
    { name: 'one', files: new Map([['README.md', '# Guide\n\nA page.\n']]), questions: [] },
  ])
  const ids = linkCopies(dataDir, libraries, { snippets, host: git.url, commit: await createCopies(git) })
  planAll(dataDir)
  const server = await startServerProcess(dataDir)
  const idleCpu = server.cpuSeconds()
  while (git.requests.length === 0) await sleep(10)
  const wallMs = await timed(async () => {
    while (git.requests.length < requestsPerCheck * libraries || unchecked(dataDir) > 0) await sleep(1_000)
  })
  const cpuSeconds = server.cpuSeconds() - idleCpu
  const requests = git.requests.length
  const jobs = await jobCount(server, key)
  await server.stop()
  const floor = await listRefs(ids.map((id) => `${git.url}${id}.git`))
  await git.close()
  note({ figure: `check of ${libraries} unchanged libraries`, measured: wallMs / 1000, unit: 's', cpuSeconds })
  note({ figure: '  requests', wanted: { max: requestsPerCheck * libraries }, measured: requests, unit: '' })
  note({ figure: '  jobs', wanted: { max: 0 }, measured: jobs, unit: '' })
  note({
    figure: `  floor: git ls-remote, ${parallel} at a time`,
    measured: floor.seconds,
    unit: 's',
    cpuSeconds: floor.cpuSeconds,
  })
}

/** Copies of one repository, and their commit. */
async function createCopies(git: GitServer): Promise<string> {
  const commit = await git.create('bench/one', { files: { 'README.md': '# Guide\n\nA page.\n' } })
  for (let number = 1; number <= libraries; number++) {
    await git.create(`bench/copy-${number}`, { files: {} })
    await cp(git.folder('bench/one'), git.folder(`bench/copy-${number}`), { recursive: true })
  }
  return commit
}

/** The checks begin with the second round of the server, after the work of its start. */
function planAll(dataDir: string): void {
  const db = openDatabase(dataDir)
  const dueAt = new Date(Date.now() + startMs)
  libraryChecks(db).plan(schedule, new Date(), () => dueAt)
  db.close()
}

function unchecked(dataDir: string): number {
  const db = openDatabase(dataDir)
  const checked = [...libraryChecks(db).all().values()].filter(({ outcome }) => outcome === 'unchanged').length
  db.close()
  return libraries - checked
}

async function jobCount({ url }: ServerProcess, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/jobs`, { headers: { authorization: `Bearer ${key}` } })
  return ((await answer.json()) as { jobs: unknown[] }).jobs.length
}

/** Takes the CPU time of the ended children from `times` of the shell. */
async function listRefs(urls: string[]): Promise<{ seconds: number; cpuSeconds: number }> {
  const began = performance.now()
  const script = `printf '%s\\n' "$@" | xargs -P ${parallel} -n 1 git ls-remote > /dev/null && times`
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', ...urls])
  const seconds = (performance.now() - began) / 1000
  const [, children = ''] = stdout.trim().split('\n')
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
  return { seconds, cpuSeconds: parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0) }
}
