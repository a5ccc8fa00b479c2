import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

test('a server with 64 open files refuses connections above what it can serve, says so, and goes on working', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('acme/docs', { files: { 'README.md': '# Acme\n\nAcme is a library that paints walls.\n' } })
  const server = await startServer({ ...prepareDir(git.url), before: 'ulimit -n 64' })
  const { hostname, port } = new URL(server.url)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const open = async () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
  }
  for (let i = 0; i < 100; i++) await open().catch(() => undefined)
  await until(() => server.output().includes('connections are refused'))
  expect(server.output().match(/connections are refused/g)).toHaveLength(1)
  for (const socket of sockets) socket.destroy()

  /** The one connection that the server can hold may still be open. */
  const call = async (method: string, path: string, body?: unknown) => {
    let answer: Awaited<ReturnType<typeof server.call>> | undefined
    await until(async () => {
      answer = await server.call(method, path, body).catch(() => undefined)
      return answer
    })
    return answer?.body ?? {}
  }
  expect(String((await call('GET', '/api/health')).warnings)).toContain('Raise the limit of open files')
  const { queueId } = await call('POST', '/api/parse', { repoUrl: 'acme/docs' })
  await until(async () => (await call('GET', `/api/jobs/${queueId}`)).finishedAt)
  const { state, error } = await call('GET', `/api/jobs/${queueId}`)
  if (state !== 'done') expect(error).toContain('The server has no free file descriptor.')
  expect((await call('GET', '/api/ready')).ready).toBe(true)
})
