import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { downloadBody } from '../../../onprem/routes/download-body.ts'
import { listen } from '../../../shared/http/listen.ts'
import { until } from '../../fixtures/until.ts'

/** More than the buffers of a connection hold, so that the server waits for its client. */
const largeSource = () =>
  Readable.from(
    Array.from({ length: 40 }, () => Buffer.alloc(1_000_000)),
    { objectMode: false },
  )

/** Downloads from a source, and returns the response and the failures so far. */
async function download(source: Readable, isAllowed = async () => true) {
  const failures: unknown[] = []
  const app = new Hono().get('/', (c) =>
    c.body(downloadBody(c, source, { failed: (error) => failures.push(error), isAllowed }, 20)),
  )
  const server = await listen(app.fetch, { HOST: '127.0.0.1', PORT: 0 })
  onTestFinished(() => server.close())
  return { answer: await fetch(`http://127.0.0.1:${server.port}/`), failures }
}

test('a source that fails while the client reads nothing ends the download, and only the caller is told', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => printed.mockRestore())
  const source = largeSource()
  const { answer, failures } = await download(source)
  const error = new Error('the disk is gone')
  source.destroy(error)
  await until(() => failures.length > 0)
  await expect(answer.arrayBuffer()).rejects.toThrow()
  expect([failures, printed.mock.calls]).toEqual([[error], []])
})

test('a client that leaves closes the source, which is no failure', async () => {
  const source = largeSource()
  const { answer, failures } = await download(source)
  await answer.body?.cancel()
  await until(() => source.closed)
  expect(failures).toEqual([])
})

test('a download is complete', async () => {
  const { answer, failures } = await download(Readable.from(['one ', 'two'], { objectMode: false }))
  expect([await answer.text(), failures]).toEqual(['one two', []])
})

test('a download ends early when its caller loses access, which is no failure', async () => {
  let access = true
  const source = largeSource()
  const { answer, failures } = await download(source, async () => access)
  access = false
  await until(() => source.closed)
  await expect(answer.arrayBuffer()).rejects.toThrow()
  expect(failures).toEqual([])
})
