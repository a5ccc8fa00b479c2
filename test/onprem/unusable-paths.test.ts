import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { giveToOther, otherUser, takeFromOther, takenSentence } from '../fixtures/other-user.ts'
import { runCarrelProcess } from '../fixtures/run-carrel.ts'
import { type PreparedDir, prepareDir, runServer, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

/** A data directory of the other user, with a repository `/acme/docs` to parse. */
async function ofOtherUser(): Promise<PreparedDir> {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('acme/docs', { files: { 'README.md': '# Acme\n\nAcme is a library that paints walls.\n' } })
  const prepared = prepareDir(git.url)
  giveToOther(prepared.dataDir)
  return { ...prepared, user: otherUser }
}

const within = (dataDir: string, name: string, folder = false): string => {
  const path = join(dataDir, name)
  if (folder) mkdirSync(path, { mode: 0o700 })
  else writeFileSync(path, '', { mode: 0o600 })
  giveToOther(path)
  return path
}

const warningsOf = async ({ call }: ServerProcess) => (await call('GET', '/api/health')).body.warnings as string[]

async function queue({ call }: ServerProcess): Promise<number> {
  const { body } = await call('POST', '/api/parse', { repoUrl: 'acme/docs' })
  return Number(body.queueId)
}

test('a file that the server cannot use is named at the start, in health, by the doctor and by the job that fails', async () => {
  const prepared = await ofOtherUser()
  const { dataDir } = prepared
  const clones = within(dataDir, 'clones', true)
  const key = within(dataDir, 'secrets.key')
  const reads = within(dataDir, 'reads')
  for (const path of [clones, key, reads]) takeFromOther(path)
  const sentences = [takenSentence(reads, 'write to'), takenSentence(key, 'read'), takenSentence(clones, 'write to')]

  const server = await startServer(prepared)
  expect(await warningsOf(server)).toEqual(expect.arrayContaining(sentences))
  for (const sentence of sentences) expect(server.output()).toContain(JSON.stringify(sentence))
  const anonymous = await (await fetch(`${server.url}/api/health`)).text()
  expect(anonymous).toContain('Files of the server cannot be used. Send a key to see which.')
  expect(anonymous).not.toContain(dataDir)

  const id = await queue(server)
  await until(async () => (await server.job(id)).state === 'failed')
  expect(await server.job(id)).toMatchObject({
    error: `data_damaged: ${takenSentence(clones, 'write to')}`,
    advice: 'Follow the advice in the error, then retry.',
  })
  expect(await server.call('PATCH', '/api/settings', { 'github.token': 'ghp_x' })).toMatchObject({
    status: 503,
    body: { error: 'data_damaged', message: `The key file ${key} cannot be read: the${takenSentence(key, 'read').slice(3)}` },
  })
  const { out } = await runCarrelProcess(['doctor', '--json'], { dataDir, user: otherUser })
  const messages = (JSON.parse(out) as { message: string; advice?: string }[]).map(
    ({ message, advice }) => `${message} ${advice}`,
  )
  expect(messages).toEqual(expect.arrayContaining(sentences))
  expect(server.output()).not.toContain('"stack"')
})

test('a server whose snippets are taken away is not ready, its jobs say so, and they run when it has them back', async () => {
  const prepared = await ofOtherUser()
  const snippets = within(prepared.dataDir, 'snippets', true)
  const giveBack = takeFromOther(snippets)
  const sentence = takenSentence(snippets, 'write to')
  const server = await startServer(prepared)
  expect(await server.call('GET', '/api/ready')).toMatchObject({ status: 503, body: { message: sentence } })
  const id = await queue(server)
  expect((await server.call('GET', `/api/jobs/${id}`)).body).toMatchObject({ state: 'queued', stage: sentence })
  giveBack()
  await until(async () => (await server.job(id)).state === 'done')
  expect(await warningsOf(server)).not.toContain(sentence)
})

test('an owner that changes while the server runs is reported by health and by the job', async () => {
  const prepared = await ofOtherUser()
  const server = await startServer(prepared)
  const clones = join(prepared.dataDir, 'clones')
  await until(() => existsSync(clones))
  takeFromOther(clones)
  await until(async () => (await warningsOf(server)).includes(takenSentence(clones, 'write to')))
  const id = await queue(server)
  await until(async () => (await server.job(id)).state === 'failed')
  expect((await server.job(id)).error).toBe(`data_damaged: ${takenSentence(clones, 'write to')}`)
})

test('a folder that a file has replaced is named with the command that moves it away', async () => {
  const prepared = await ofOtherUser()
  const server = await startServer(prepared)
  const clones = join(prepared.dataDir, 'clones')
  await until(() => existsSync(clones))
  rmSync(clones, { recursive: true })
  writeFileSync(clones, '')
  const sentence = `${clones} is a file, but must be a folder. Run: mv ${clones} ${clones}.old`
  const id = await queue(server)
  await until(async () => (await server.job(id)).state === 'failed')
  expect((await server.job(id)).error).toBe(`data_damaged: ${sentence}`)
  await until(async () => (await warningsOf(server)).includes(sentence))
})

test('a question whose snippets a file has replaced or another user has taken is answered with what helps', async () => {
  const prepared = await ofOtherUser()
  const server = await startServer(prepared)
  const id = await queue(server)
  await until(async () => (await server.job(id)).state === 'done')
  const snippets = join(prepared.dataDir, 'snippets')
  const address = '/api/v2/context?libraryId=/acme/docs&query=walls'
  const answer = async () => (await server.call('GET', address)).body.message
  const ofNobody = async () => ((await (await fetch(server.url + address)).json()) as { message: string }).message

  const giveBack = takeFromOther(snippets)
  expect(await answer()).toBe(takenSentence(snippets, 'write to'))
  giveBack()
  expect(await server.context('/acme/docs', 'walls')).toContain('paints walls')

  renameSync(snippets, `${snippets}.away`)
  writeFileSync(snippets, '')
  expect(await answer()).toBe(`${snippets} is a file, but must be a folder. Run: mv ${snippets} ${snippets}.old`)
  expect(await ofNobody()).toBe('Files of the server cannot be used. The log of the server names them.')
  rmSync(snippets)
  renameSync(`${snippets}.away`, snippets)
  expect(await server.context('/acme/docs', 'walls')).toContain('paints walls')
})

test('models that the server cannot list are named in health, and jobs and questions continue', async () => {
  const prepared = await ofOtherUser()
  const { dataDir } = prepared
  const models = within(dataDir, 'models')
  const server = await startServer(prepared)
  expect(await warningsOf(server)).toContain(`${models} is a file, but must be a folder. Run: mv ${models} ${models}.old`)
  rmSync(models)
  takeFromOther(within(dataDir, 'models', true))
  chmodSync(models, 0o700)
  await until(async () => (await warningsOf(server)).includes(takenSentence(models, 'read')))
  const id = await queue(server)
  await until(async () => (await server.job(id)).state === 'done')
  expect(await server.context('/acme/docs', 'walls')).toContain('paints walls')
})

test.each([
  ['half', 'read', false],
  ['carrel.db', 'write to', false],
  ['vectors.db', 'write to', false],
  ['salts.db', 'write to', false],
  ['imports', 'read', true],
])('a server that cannot use %s does not start and says why and what helps', async (name, action, folder) => {
  const { dataDir } = await ofOtherUser()
  const path = name === 'carrel.db' ? join(dataDir, name) : within(dataDir, name, folder)
  takeFromOther(path)
  const { stderr, code } = await runServer({ PORT: '0', DATA_DIR: dataDir }, otherUser)
  expect(code).toBe(1)
  const [sentence, help] = takenSentence(path, action)
    .slice(1)
    .split(/\.(?= Run)/)
  expect(stderr).toContain(`${sentence}.${help}`)
  expect(stderr).not.toMatch(/^ +at /m)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
