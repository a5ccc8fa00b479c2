import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCarrel, startOnTerminal } from '../../fixtures/run-carrel.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
  const files = { 'README.md': '# Words\n\nWords about levers.\n' }
  await app.git.create('acme/secret', { files, private: '*:sesame' })
  await app.git.create('acme/open', { files })
})
afterAll(() => app.close())
beforeEach(() =>
  app.app.settings.change({ 'github.token': null, 'permissions.hidePrivate': null, 'permissions.privateChosen': null }),
)

const carrel = (words: string[], input = '') => runCarrel(words, { dataDir: app.dataDir, input })
const values = () => (['permissions.hidePrivate', 'permissions.privateChosen'] as const).map((name) => app.app.settings.get(name))
const warnings = async (key?: string) =>
  ((await app.json('/api/health', { key })).body as { warnings: string[] }).warnings.filter((each) =>
    /rivate libraries/.test(each),
  )
const nobodyChose =
  'Private libraries can be read by everyone who reaches this server, and nobody has chosen that. An admin chooses on the page Permissions of the settings, or with the setting permissions.hidePrivate: true for only people and agents with a key, false for everyone who reaches this server.'

test('a token is not stored by a script until somebody has chosen who can read private libraries', async () => {
  const words = ['settings', 'set', 'github.token', '-']
  expect(await carrel(words, 'sesame')).toEqual({
    code: 1,
    out: '',
    err: 'carrel: This token can read private repositories. First choose who can read private libraries: "npm run -s carrel -- settings set permissions.hidePrivate false" for everyone who reaches this server, or true for only people and agents with a key. Nothing was changed.\n',
  })
  expect(app.app.settings.getSecret('github.token')).toBeUndefined()
  expect((await carrel(['settings', 'set', 'permissions.hidePrivate', 'false'])).code).toBe(0)
  expect(values()).toEqual([false, true])
  expect(await carrel(words, 'sesame')).toEqual({ code: 0, out: '', err: '' })
  expect(app.app.settings.getSecret('github.token')).toBe('sesame')
})

test('a command on a terminal that stores a token asks who can read private libraries', async () => {
  const child = startOnTerminal(['settings', 'set', 'github.token', '-'], { dataDir: app.dataDir })
  let screen = ''
  const answers = new Map([
    ['Choose 1 or 2: ', '2\r'],
    ['github.token: ', 'sesame\r'],
  ])
  child.stdout.on('data', (part) => {
    screen += part
    for (const [question, answer] of answers) if (screen.includes(question) && answers.delete(question)) child.stdin.write(answer)
  })
  await new Promise((resolve) => child.once('exit', resolve))
  expect(screen).toContain('1  everyone who reaches this server')
  expect([...values(), app.app.settings.getSecret('github.token')]).toEqual([true, true, 'sesame'])
})

test('a private repository is not added by a script until somebody has chosen, but a public one is', async () => {
  app.app.settings.change({ 'github.token': 'sesame' })
  expect(await carrel(['add', `${app.git.url}/acme/secret`])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('This repository is private. First choose who can read private libraries:'),
  })
  expect((await carrel(['add', `${app.git.url}/acme/open`, '--wait'])).code).toBe(0)
  expect(app.app.catalog.libraries().map(({ id }) => id)).toEqual(['/acme/open'])
})

test('the API stores a token without a choice, and health, doctor and the log report who can read until somebody has chosen', async () => {
  expect((await app.call('PATCH', '/api/settings', { 'github.token': 'sesame' })).status).toBe(200)
  expect(await warnings()).toEqual([])
  await app.parse('acme/secret')
  expect(await warnings()).toEqual([nobodyChose])
  expect(app.log.lines.map(({ message }) => message)).toContain(nobodyChose)
  expect((await carrel(['doctor'])).out).toContain(nobodyChose)
  app.app.settings.change({ 'permissions.requireMcpAuth': true })
  expect(await warnings()).toEqual([])
  expect(await warnings(app.keys.member)).toEqual([expect.stringContaining('can be read by people and agents with a key')])
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
  for (const hidePrivate of [true, false]) {
    app.app.settings.change({ 'permissions.privateChosen': null })
    expect((await app.call('PATCH', '/api/settings', { 'permissions.hidePrivate': hidePrivate })).body).toMatchObject({
      'permissions.privateChosen': true,
    })
    expect(await warnings(app.keys.admin)).toEqual([])
  }
})

test('an install that starts, and doctor without a server, report that nobody has chosen', async () => {
  await app.stop()
  const again = await testInstall({ reopen: app })
  expect(again.log.lines.map(({ message }) => message)).toContain(nobodyChose)
  await again.stop()
  expect((await carrel(['doctor'])).out).toContain(nobodyChose)
})
