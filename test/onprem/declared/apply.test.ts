import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'

let git: GitServer
const folder = mkdtempSync(join(tmpdir(), 'carrel-apply-'))
const dataDir = join(folder, 'data')
const file = join(folder, 'carrel.yaml')
const names = Array.from({ length: 10 }, (_, at) => `acme/docs${at}`)

const carrel = (...words: string[]) => runCarrel(words, { dataDir })
const write = (repos: string[], more = '') => {
  const libraries = repos.map((repo) => `  - url: ${git.url}/${repo}\n`)
  writeFileSync(
    file,
    `settings:\n  github.baseUrl: ${git.url}\n  backup.schedule: daily\n${more}libraries:\n${libraries.join('')}`,
  )
}
const listed = async () =>
  (JSON.parse((await carrel('list', '--json')).out) as { id: string; state: string }[]).map(({ id }) => id).sort()

beforeAll(async () => {
  git = await startGitServer()
  for (const name of names)
    await git.create(name, { files: { 'README.md': page('Guide', `The lever of ${name} turns.`) }, tags: ['v1'] })
})
afterAll(async () => {
  await git.close()
  rmSync(folder, { recursive: true })
})

test('carrel apply builds an install of ten libraries from nothing, and a second one changes nothing', async () => {
  write(names)
  const dry = await carrel('apply', file, '--dry-run')
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('+ /acme/docs3\n') })
  expect(await carrel('list')).toMatchObject({ out: '' })
  const first = await carrel('apply', file)
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 10 added, 0 changed, 0 deleted, 2 settings.') })
  expect(await listed()).toEqual(names.map((name) => `/${name}`))
  expect((await carrel('settings', 'get', 'backup.schedule')).out).toBe('daily\n')
  const requests = git.requests.length
  expect(await carrel('apply', file)).toMatchObject({ code: 0, out: 'Nothing to change: 12 unchanged.\n' })
  expect(git.requests.length).toBe(requests)
})

test('carrel apply changes what a person changed by hand', async () => {
  const db = openDatabase(dataDir)
  db.prepare(
    `UPDATE libraries SET settings = json_set(settings, '$.excludeFiles', json('["CHANGES.md"]')) WHERE key = '/acme/docs1'`,
  ).run()
  db.close()
  await carrel('settings', 'set', 'backup.schedule', 'weekly')
  const { out, code } = await carrel('apply', file)
  expect(out).toContain('~ backup.schedule: weekly → daily\n~ /acme/docs1 (excludeFiles: CHANGES.md → default)\n10 unchanged.\n')
  expect(code).toBe(0)
  expect(await carrel('apply', file)).toMatchObject({ out: 'Nothing to change: 12 unchanged.\n' })
})

test('carrel apply --prune deletes only what a file declared before, and asks first', async () => {
  await git.create('acme/own', { files: { 'README.md': page('Guide', 'The wheel turns.') } })
  await carrel('add', `${git.url}/acme/own`)
  write(names.slice(0, 9))
  expect((await carrel('apply', file)).out).toBe(
    '  /acme/docs9 (no longer declared; --prune deletes it)\nNothing to change: 11 unchanged.\n',
  )
  expect(await listed()).toHaveLength(11)
  expect(await carrel('apply', file, '--prune')).toMatchObject({ code: 2, err: expect.stringContaining('Give --yes') })
  expect(await listed()).toHaveLength(11)
  expect(await carrel('apply', file, '--prune', '--yes')).toMatchObject({
    code: 0,
    out: expect.stringContaining('- /acme/docs9\n11 unchanged.\nApplied: 0 added, 0 changed, 1 deleted, 0 settings.'),
  })
  expect(await listed()).toEqual([...names.slice(0, 9), 'acme/own'].map((name) => `/${name}`))
  expect((await carrel('ask', '/acme/docs9', 'lever')).code).toBe(1)
})

test('carrel apply --prune deletes a version that the file no longer names', async () => {
  writeFileSync(file, `libraries: [{ url: ${git.url}/acme/docs0, versions: [v1] }]\n`)
  expect((await carrel('apply', file)).out).toContain('~ /acme/docs0 (versions: none → v1)\n')
  expect(JSON.parse((await carrel('list', '--json')).out)[0]).toMatchObject({ id: '/acme/docs0', versions: ['v1'] })
  writeFileSync(file, `libraries: [{ url: ${git.url}/acme/docs0 }]\n`)
  expect((await carrel('apply', file)).out).toContain('~ /acme/docs0 (versions: v1 → none)\n')
  expect(JSON.parse((await carrel('list', '--json')).out)[0]).toMatchObject({ id: '/acme/docs0', versions: ['v1'] })
})

test('a file that names a missing repository is applied for the others, and tried again', async () => {
  writeFileSync(file, `libraries:\n  - url: ${git.url}/acme/late\n  - url: ${git.url}/acme/docs0\n`)
  const { code, out } = await carrel('apply', file)
  expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('+ /acme/late\n') })
  await git.create('acme/late', { files: { 'README.md': page('Guide', 'The crank turns.') } })
  expect((await carrel('apply', file)).out).toContain('~ /acme/late (it could not be added before)\n')
  expect((await carrel('ask', '/acme/late', 'crank')).out).toContain('The crank turns.')
})
