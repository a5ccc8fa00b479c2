import { existsSync, readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page } from '../fixtures/page.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'

const boundary = 'upload-kill'
const part = (name: string, content: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\n${content}`

test('a server that is killed during an upload keeps the old content and no half of the new one', {
  timeout: 300_000,
}, async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const imports = join(prepared.dataDir, 'imports')
  const uploads = () => (existsSync(imports) ? readdirSync(imports) : [])
  let server = await startServer(prepared)
  const upload = async (text: string) => {
    const form = new FormData()
    form.append('name', 'pond')
    form.append('files', new Blob([page('Pond', text)]), 'pond/a.md')
    const headers = { authorization: `Bearer ${prepared.key}` }
    const answer = await fetch(`${server.url}/api/parse-files`, { method: 'POST', headers, body: form })
    expect(answer.status).toBe(202)
    return ((await answer.json()) as { queueId: number }).queueId
  }
  const isDone = async (id: number) => expect.poll(async () => (await server.job(id)).state, { timeout: 60_000 }).toBe('done')
  const frogs = () => server.context('/files/pond', 'which frog')
  await isDone(await upload('The first frog.'))
  const kept = uploads()
  expect(kept).toHaveLength(1)

  const headers = {
    authorization: `Bearer ${prepared.key}`,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': 50 * 2 ** 20,
  }
  const sent = request(`${server.url}/api/parse-files`, { method: 'POST', headers })
  sent.on('error', () => undefined)
  sent.write(part('pond/a.md', page('Pond', 'The half frog.')) + part('pond/b.md', 'frog '.repeat(200_000)))
  const half = () => uploads().find((name) => !kept.includes(name))
  await expect.poll(() => (half() ? readdirSync(join(imports, half() ?? '')).length : 0), { timeout: 30_000 }).toBeGreaterThan(0)
  expect(statSync(join(imports, half() ?? '')).isDirectory()).toBe(true)
  await server.kill()
  sent.destroy()

  server = await startServer(prepared)
  await expect.poll(uploads, { timeout: 60_000 }).toEqual(kept)
  expect(await frogs()).toContain('The first frog.')

  // The request of this upload is answered, so its job survives the kill.
  const id = await upload('The second frog.')
  await server.kill()
  server = await startServer(prepared)
  await isDone(id)
  expect(await frogs()).toContain('The second frog.')
  await expect.poll(() => uploads().length, { timeout: 60_000 }).toBe(1)
})
