import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dynamoCatalog } from '../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../../functions/dynamo/jobs/dynamo-jobs.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { originSecret } from '../fixtures/lambda-events.ts'
import { page } from '../fixtures/page.ts'
import { startStage } from '../fixtures/stage.ts'
import { until } from '../fixtures/until.ts'
import { foreignAddresses, startContainer } from './container.ts'
import { check } from './tally.ts'

const now = () => new Date()
const libraryId = '/acme/crank'
const port = 8091

/** The image of the hosted API as a service answers from a library that the worker's image has parsed, and stops in order. */
export async function serviceChecks(images: { service: string; worker: string }): Promise<void> {
  const [stage, git] = await Promise.all([startStage(), startGitServer()])
  const repoUrl = `${git.url}/acme/crank`
  await git.create('acme/crank', { files: { 'README.md': page('Crank', 'The crank turns with turnCrank.') } })
  await dynamoCatalog({ table: stage.dynamo, now }).add({ id: parseLibraryId(libraryId), sourceUrl: repoUrl, private: false })
  const request = { repoUrl, force: false, anonymous: true }
  await dynamoJobs({ table: stage.dynamo, now }).enqueue({ key: libraryId, project: libraryId, request })
  const env = { ...stage.env, TMPDIR: '/tmp', GITHUB_BASE_URL: git.url }
  const worker = startContainer({
    image: images.worker,
    name: `carrel-service-worker-${process.pid}`,
    env: { ...env, JOB_KEY: libraryId },
  })
  equal(await worker.ended, 0, worker.output())

  const folder = mkdtempSync(join(tmpdir(), 'carrel-image-'))
  const trace = join(folder, 'trace')
  const service = startContainer({
    image: images.service,
    name: `carrel-service-${process.pid}`,
    env: { ...env, HOST: '127.0.0.1', PORT: String(port) },
    trace,
  })
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/alive`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const ask = async (path: string) => {
    const response = await fetch(url + path, { headers: { 'x-origin-secret': originSecret } })
    return [response.status, await response.text()] as const
  }
  await check('the service answers a question from its copy of a library', async () => {
    const [status, text] = await ask(`/api/v2/context?libraryId=${libraryId}&query=how%20does%20the%20crank%20turn`)
    equal(status, 200, text)
    match(text, /turnCrank/)
  })
  await check('the service has the setup of AI clients', async () => {
    equal((await ask('/cli.mjs'))[0], 200)
  })
  await check('the service stops in order within ten seconds', async () => {
    const { code, seconds } = await service.end('TERM')
    equal(code, 0, service.output())
    equal(seconds < 10, true, `${seconds} s`)
  })
  await check('the service connects to loopback only', () => {
    deepEqual(foreignAddresses(trace).foreign, [])
  })
  await Promise.all([stage.close(), git.close()])
  rmSync(folder, { recursive: true })
}
