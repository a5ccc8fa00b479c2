import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dynamoCatalog } from '../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../../functions/dynamo/jobs/dynamo-jobs.ts'
import { servedVersion } from '../../functions/queries/served-version.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { getContext } from '../../shared/search/get-context.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { startStage } from '../fixtures/stage.ts'
import { foreignAddresses, startContainer } from './container.ts'
import { check } from './tally.ts'

const now = () => new Date()
const libraryId = '/acme/lever'
const id = parseLibraryId(libraryId)

/** The image of the hosted worker does a job from the queue to the end: a real repository, and DynamoDB, S3 and SQS emulated on loopback. */
export async function workerChecks(image: string): Promise<void> {
  const [stage, git] = await Promise.all([startStage(), startGitServer()])
  const catalog = dynamoCatalog({ table: stage.dynamo, now })
  const jobs = dynamoJobs({ table: stage.dynamo, now })
  const repoUrl = `${git.url}/acme/lever`
  const folder = mkdtempSync(join(tmpdir(), 'carrel-image-'))
  const trace = join(folder, 'trace')
  await git.create('acme/lever', { files: { 'README.md': page('Lever', 'The lever turns with turnLever.') } })

  await check('the worker parses the library of its job', async () => {
    await catalog.add({ id, sourceUrl: repoUrl, private: false })
    await jobs.enqueue({ key: libraryId, project: libraryId, request: { repoUrl, force: false, anonymous: true } })
    const env = { ...stage.env, TMPDIR: '/tmp', GITHUB_BASE_URL: git.url, JOB_KEY: libraryId }
    const worker = startContainer({ image, name: `carrel-worker-${process.pid}`, env, trace })
    equal(await worker.ended, 0, worker.output())
    deepEqual(await jobs.active(), [])
  })
  await check('the library is served', async () => {
    Object.assign(process.env, stage.env)
    const snippets = lanceSnippets('s3://content/snippets')
    const record = await catalog.record(id)
    const served = async () => record && servedVersion(record, id, undefined)
    const query = { libraryId: id, query: 'how does the lever turn', tokens: 5000 }
    const found = await getContext({ catalog: { served: served as never }, snippets }, query)
    snippets.close()
    match(found.snippets.map(({ content }) => content).join('\n'), /turnLever/)
  })
  await check('the worker connects to loopback only', () => {
    deepEqual(foreignAddresses(trace).foreign, [])
  })
  await Promise.all([stage.close(), git.close()])
  rmSync(folder, { recursive: true })
}
