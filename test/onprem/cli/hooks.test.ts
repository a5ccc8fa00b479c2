import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())

const carrel = (words: string[], input?: string) =>
  runCarrel(['hooks', ...words], { dataDir: app.dataDir, ...(input && { input }) })
const added = async (words: string[], input?: string) => {
  const { code, out, err } = await carrel(['add', ...words], input)
  const [, path = '', secret = ''] = /^Address: (\S+)\nSecret: (\S+)\n$/.exec(out) ?? []
  return { code, err, path, secret, id: path.replace('/api/hooks/', '') }
}
const deliver = (path: string, secret: string, time = Math.floor(Date.now() / 1000)) => {
  const signature = createHmac('sha256', secret).update(`${time}.{}`).digest('hex')
  return app.json(path, { method: 'POST', body: '{}', headers: { 'x-carrel-signature': `t=${time},v1=${signature}` } })
}

test('hooks add prints the address and the secret once, and a delivery with it is accepted', async () => {
  const { code, err, path, secret, id } = await added(['--kind', 'generic', '--library', '/acme/widgets', '--name', 'nightly'])
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('The secret is not shown again.') })
  expect(await carrel(['deliveries', id])).toEqual({ code: 0, out: '', err: '' })
  expect(await deliver(path, secret)).toMatchObject({ status: 202 })
  expect(await deliver(path, 'another secret')).toMatchObject({ status: 401 })
  const deliveries = JSON.parse((await carrel(['deliveries', id, '--json'])).out)
  expect(deliveries).toMatchObject([
    { outcome: 'rejected', event: '', library: null, times: 1 },
    { outcome: 'queued', event: 'refresh', library: '/acme/widgets', job: expect.any(Number) },
  ])
  const { out } = await carrel(['list'])
  expect(out).toMatch(new RegExp(`^${id}\tnightly\t/acme/widgets\t${path}\t\\d{4}-\\S+Z\n$`))
  expect(out).not.toContain(secret)
})

test('hooks add reads the secret of the host from standard input', async () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123').toString('base64')}`
  expect(await added(['--kind', 'gitlab', '--secret', '-'], `${secret}\n`)).toMatchObject({ code: 0, secret })
})

test.each([
  [['--kind', 'github', '--host', 'https://unknown.example.com'], 2, 'host is no host of this install'],
  [['--kind', 'github', '--host', 'http://unknown.example.com'], 2, 'host must start with https://'],
  [['--kind', 'gitea'], 2, 'host is required'],
  [['--kind', 'github', '--library', '/acme/none'], 1, '/acme/none is not in this install'],
  [['--kind', 'github', '--library', '/acme/widgets', '--host', 'https://github.com'], 2, 'not both'],
  [['--kind', 'svn'], 2, 'Allowed choices are github, gitlab, gitea, bitbucket, generic'],
  [[], 2, "required option '--kind <kind>' not specified"],
])('hooks add %j fails, and says why', async (words, code, reason) => {
  expect(await carrel(['add', ...words])).toEqual({ code, out: '', err: expect.stringContaining(reason) })
})

test('hooks remove closes the address, and an unknown id is an error', async () => {
  const { id, path, secret } = await added(['--kind', 'generic'])
  expect(await carrel(['remove', id])).toEqual({ code: 0, out: 'The webhook generic: all libraries is removed.\n', err: '' })
  expect(await deliver(path, secret)).toMatchObject({ status: 404 })
  for (const command of ['remove', 'deliveries'])
    expect(await carrel([command, id])).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('There is no webhook with this id.'),
    })
})
