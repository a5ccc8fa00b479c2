import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../functions/server.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { originSecret } from '../../fixtures/lambda-events.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { startStage, type TestStage } from '../../fixtures/stage.ts'

const token = 'token-of-the-stage'
let stage: TestStage
let git: GitServer

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  const tokens = { SST_RESOURCE_GitTokens: JSON.stringify({ github: token, gitlab: '' }) }
  Object.assign(process.env, stage.env, tokens, { GITHUB_BASE_URL: `${git.url}/`, GITLAB_BASE_URL: '' })
})
afterAll(async () => {
  await stage.close()
  await git.close()
})

async function parse(repo: string, isPrivate: boolean): Promise<string> {
  const { awsHosted, awsWorker } = await import('../../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../../functions/jobs/add-library.ts')
  const { workLibrary } = await import('../../../functions/worker/work-library.ts')
  const hosted = awsHosted()
  const owner = isPrivate ? { teamspace: (await hosted.teamspaces.create('acme', 'team')).id } : {}
  await addLibrary(hosted, { repoUrl: `${git.url}/${repo}`, isPrivate, ...owner })
  return workLibrary(awsWorker(), `/${repo}`, new AbortController().signal)
}
const tokensSentFor = (repo: string) =>
  git.requests
    .filter(({ path, authorization }) => path.startsWith(`/${repo}`) && authorization !== undefined)
    .map(({ authorization = '' }) => Buffer.from(authorization.replace('Basic ', ''), 'base64').toString())

test('a worker of a stage reads a private library with the token of its host', async () => {
  await git.create('acme/secret', { files: { 'README.md': '# Secret\n\nPull the rope.\n' }, private: `*:${token}` })
  expect(await parse('acme/secret', true)).toBe('finalized')
  expect(new Set(tokensSentFor('acme/secret'))).toEqual(new Set([`x-access-token:${token}`]))
})

test('no token is sent for a public library, even after its repository has become private', async () => {
  await git.create('acme/open', { files: { 'README.md': '# Open\n\nTurn the lever.\n' } })
  expect(await parse('acme/open', false)).toBe('finalized')
  await git.remove('acme/open')
  await git.create('acme/open', { files: { 'README.md': '# Open\n' }, private: `*:${token}` })
  const { awsHosted, awsWorker } = await import('../../../functions/aws/stage-ports.ts')
  const { refreshLibrary } = await import('../../../functions/jobs/refresh-library.ts')
  const { workLibrary } = await import('../../../functions/worker/work-library.ts')
  await refreshLibrary(awsHosted(), { owner: 'acme', repo: 'open' })
  expect(await workLibrary(awsWorker(), '/acme/open', new AbortController().signal)).toBe('failed')
  expect(tokensSentFor('acme/open')).toEqual([])
})

test('the ports of a stage write only to the given log, as the command line needs', async () => {
  const { awsHosted } = await import('../../../functions/aws/stage-ports.ts')
  const log = recordedLog()
  await createApi(awsHosted(log)).request('/api/health', { headers: { 'x-origin-secret': originSecret } })
  expect(log.lines.map(({ message }) => message)).toEqual(['request'])
})
