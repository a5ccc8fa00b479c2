import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'
import { webhookReceiver } from '../fixtures/webhook-receiver.ts'

test('a notification of a server that is killed while it sends it arrives after the next start, with the same id', async () => {
  const git = await startGitServer()
  const hook = await webhookReceiver()
  onTestFinished(async () => {
    await hook.close()
    await git.close()
  })
  hook.answer = () => undefined
  const prepared = prepareDir(git.url, undefined, { 'notifications.webhookUrl': hook.url })
  const killed = await startServer(prepared)
  await killed.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/missing` })
  await until(() => hook.received[0])
  await killed.kill()
  hook.answer = (response) => void response.writeHead(204).end()
  const server = await startServer(prepared)
  await until(async () => {
    const { channels } = (await server.call('GET', '/api/notifications')).body as { channels: { waiting: number }[] }
    return channels.every(({ waiting }) => waiting === 0)
  })
  expect(hook.subjects()).toEqual(['/acme/missing', '/acme/missing'])
  expect(new Set(hook.received.map(({ body }) => body.id)).size).toBe(1)
})
