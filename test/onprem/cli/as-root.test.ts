import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { giveToOther, otherUid, otherUser } from '../../fixtures/other-user.ts'
import { runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { prepareDir, startServer } from '../../fixtures/server-process.ts'

/** A test that another user runs cannot be root: its commands then run as the user of the server and succeed. */
const isRoot = process.getuid?.() === 0

test.each([
  ['a setting', ['settings', 'set', 'permissions.hidePrivate', 'true']],
  ['a library', ['add', 'acme/docs']],
])('a first command of root about %s leaves a folder that the server of another user can use', async (_, words) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'carrel-root-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  giveToOther(dataDir)
  const { err } = await runCarrelProcess([...words], { dataDir })
  if (isRoot) {
    expect(err).toContain(`belongs to the user with uid ${otherUid}, who could not use the files that root creates there.`)
    expect(readdirSync(dataDir)).toEqual([])
  }
  const server = await startServer({ dataDir, key: '', user: otherUser })
  expect(await server.end()).toBe(0)
})

test('a secret that root stores keeps the owner of the folder', async () => {
  const { dataDir, key } = prepareDir('https://github.com')
  rmSync(join(dataDir, 'secrets.key'), { force: true })
  giveToOther(dataDir)
  const { code, err } = await runCarrelProcess(['settings', 'set', 'llm.apiKey', '-'], { dataDir, input: 'sk-1\n' })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(statSync(join(dataDir, 'secrets.key')).uid).toBe(otherUid)
  const server = await startServer({ dataDir, key, user: otherUser })
  expect((await server.call('GET', '/api/health')).body.warnings).toEqual([])
})
