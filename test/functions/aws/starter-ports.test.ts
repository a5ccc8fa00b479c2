import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HostedJob } from '../../../functions/jobs/hosted-jobs.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { startStage, type TestStage } from '../../fixtures/stage.ts'

const Bucket = 'content'
let stage: TestStage
let git: GitServer
let s3: S3Client

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url, WORKER_TASK: JSON.stringify(nowhere) })
  s3 = new S3Client({ forcePathStyle: true })
})
afterAll(async () => {
  s3.destroy()
  await stage.close()
  await git.close()
})

const nowhere = {
  cluster: 'c',
  taskDefinition: 't',
  containers: ['Worker'],
  subnets: ['s'],
  securityGroups: [],
  assignPublicIp: true,
}

/** Parses a new library, and returns the keys of its content and what a starter says about its next job. */
async function parsed(repo: string) {
  const { awsHosted, awsWorker } = await import('../../../functions/aws/stage-ports.ts')
  const { starterPorts } = await import('../../../functions/aws/starter-ports.ts')
  const { addLibrary } = await import('../../../functions/jobs/add-library.ts')
  const { refreshLibrary } = await import('../../../functions/jobs/refresh-library.ts')
  const { workLibrary } = await import('../../../functions/worker/work-library.ts')
  const repoUrl = `${git.url}/${repo}`
  await git.create(repo, { files: { 'README.md': page('Guide', 'The lever turns.') } })
  await addLibrary(awsHosted(), { repoUrl, isPrivate: false })
  expect(await workLibrary(awsWorker(), `/${repo}`, new AbortController().signal)).toBe('finalized')
  const [owner = '', name = ''] = repo.split('/')
  const [version] = (await awsHosted().catalog.record({ owner, repo: name }))?.versions.values() ?? []
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `snippets/${version?.generation}` }))
  const request = { repoUrl, force: false, anonymous: true }
  return {
    keys: Contents.map(({ Key = '' }) => Key),
    async refresh() {
      await refreshLibrary(awsHosted(), { owner, repo: name })
      return workLibrary(awsWorker(), `/${repo}`, new AbortController().signal)
    },
    isUnchanged: () => starterPorts().isUnchanged({ project: `/${repo}`, request } as HostedJob),
  }
}

const remove = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }))
const read = async (Key: string) =>
  (await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToByteArray()) ?? new Uint8Array()
const write = (Key: string, Body: Uint8Array) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))

test.each<[string, RegExp, (key: string) => Promise<unknown>]>([
  ['the list of its files is missing', /files\.json$/, remove],
  ['its rows are cut', /\.lance\/data\//, async (key) => write(key, (await read(key)).slice(0, -1))],
  ['an index was overwritten', /_indices\//, async (key) => write(key, new Uint8Array((await read(key)).length))],
  ['a manifest is empty', /_versions\/\d+\.manifest$/, (key) => write(key, new Uint8Array())],
])('a refresh of an unchanged repository repairs its content if %s', async (what, pattern, damage) => {
  const { keys, isUnchanged, refresh } = await parsed(`acme/${what.replaceAll(' ', '-')}`)
  expect(await isUnchanged()).toBe(true)
  const key = keys.find((each) => pattern.test(each))
  expect(keys).toContain(key)
  await damage(key ?? '')
  // The starter treats an error like damage: a worker decides.
  expect(await isUnchanged().catch(() => false)).toBe(false)
  expect(await refresh()).toBe('finalized')
  expect(await isUnchanged()).toBe(true)
})
