import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

test('a thousand requests, also those whose clients leave, leave no file and no connection open', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('acme/docs', { files: { 'README.md': '# Acme\n\nAcme is a library that paints walls.\n' } })
  const prepared = prepareDir(git.url)
  const server = await startServer(prepared)
  const { body } = await server.call('POST', '/api/parse', { repoUrl: 'acme/docs' })
  await until(async () => (await server.job(Number(body.queueId))).state === 'done')
  const { hostname, port } = new URL(server.url)
  const head = `HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${prepared.key}\r\n`
  const requests = [
    `GET /api/health ${head}connection: close\r\n\r\n`,
    `GET /api/v2/context?libraryId=/acme/docs&query=walls ${head}connection: close\r\n\r\n`,
    `GET /api/projects ${head}connection: close\r\n\r\n`,
    `GET / ${head}connection: close\r\n\r\n`,
    `GET /api/backup ${head}\r\n`,
    `GET /api/events ${head}\r\n`,
    `POST /api/import-libraries ${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    'GET /api/v2/con',
  ]
  /** Reads the response to its end, or leaves after its first bytes, or without any. */
  const ask = (request: string) =>
    new Promise<void>((closed) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(request, () => /len|con$/.test(request) && socket.destroy()),
      )
      socket.on('data', () => request.includes('connection: close') || socket.destroy())
      socket.on('error', () => undefined).on('close', () => closed())
    })
  const round = () => Promise.all(requests.map(ask))
  const openFiles = () => readdirSync(`/proc/${server.child.pid}/fd`).length
  for (let n = 0; n < 5; n++) await round()
  const before = openFiles()
  for (let n = 0; n < 125; n++) await round()
  await until(() => openFiles() <= before + 5)
  expect(await server.end()).toBe(0)
})
