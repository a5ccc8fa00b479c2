import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const module = (name: string, text: string) => `\n\ndef ${name}(kit, *, size=3):\n    """${text}"""\n    return kit\n`
const files = {
  'README.md': '# Kit\n\nA kit for tents.\n\n## Use\n\nRead the reference.\n',
  'kit/__init__.py': 'from ._tents import pitch\n',
  'kit/_tents.py': module('pitch', 'Pitch a tent on a meadow.'),
  'kit/plain.py': 'from . import _tents\n',
  'kit/tests/test_tents.py': module('test_pitch', 'Check that a tent is pitched.'),
  'tools/release.py': module('release', 'Cut a release of the tent.'),
  'kit/broken.py': 'def broken(:\n\tclass )) """\n',
  'kit/large.py': `# ${'x'.repeat(1024 * 1024)}\n`,
}

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/kit', { files })
})
afterAll(() => app.close())

const counts = ({ state, report }: LoggedJob) => [state, report?.snippetsAfter]
const ask = () => app.context('/acme/kit', 'pitch a tent on a meadow')

describe('the API reference of a library', () => {
  test('is off by default', async () => {
    const job = await app.parse('acme/kit')
    expect([counts(job), job.report?.skipped]).toEqual([['done', 2], []])
    expect(await ask()).not.toContain('pitch(kit')
  })

  test('has documented names as users import them, linked to their lines, and is kept at a refresh', async () => {
    const job = await app.parse('acme/kit', { apiReference: true })
    expect(counts(job)).toEqual(['done', 3])
    expect(job.report?.skipped).toEqual([{ path: 'kit/large.py', reason: 'it has 1.0 MB, the limit is 1.0 MB' }])
    const answer = await ask()
    expect(answer).toContain('kit.pitch')
    expect(answer).toContain('def pitch(kit, *, size=3)')
    expect(answer).toMatch(/\/acme\/kit\/blob\/[0-9a-f]{40}\/kit\/_tents\.py#L3-L5\b/)
    expect((await app.json('/api/projects/acme/kit/source')).body).toMatchObject({ apiReference: true })
    await app.git.commit('acme/kit', { files: { 'kit/__init__.py': 'from ._tents import pitch as raise_tent\n' } })
    expect(counts(await app.refresh('acme/kit'))).toEqual(['done', 3])
    expect(await ask()).toContain('kit.raise_tent')
  })

  test('is removed when it is switched off, though the commit is the same', async () => {
    expect((await app.call('PATCH', '/api/projects/acme/kit/source', { apiReference: false })).status).toBe(200)
    expect(counts(await app.refresh('acme/kit'))).toEqual(['done', 2])
  })
})

test('a guide that says the same comes before the API reference', async () => {
  const guide = '# kit\n\n## kit.pitch\n\n```python\ndef pitch(kit, *, size=3)\n```\n\nPitch a tent on a meadow.\n'
  await app.git.create('acme/guided', { files: { 'kit/__init__.py': files['kit/_tents.py'], 'use.md': guide } })
  await app.parse('acme/guided', { apiReference: true })
  const [, first] = /Source: (\S+)/.exec(await app.context('/acme/guided', 'pitch a tent on a meadow')) ?? []
  expect(first).toContain('/use.md')
})

test('a job reads the rest of a repository with hostile source files', async () => {
  const huge = 'x = 1\n'.repeat(20 * 2 ** 18)
  const names = Array.from({ length: 10_000 }, (_, at) => `def peg_${at}(rope):\n    """Set peg ${at} of the tent."""\n`)
  await app.git.create('acme/hostile', {
    files: {
      'README.md': files['README.md'],
      'package.json': '{ "name": "hostile" }',
      'index.ts': 'export * from "./huge"\n/** Fold a tent. */\nexport const fold = 1\n',
      'huge.ts': huge,
      'huge.py': huge,
      'tent.py': module('pitch', 'Pitch a tent on a meadow.'),
      'tent.pyi': huge,
      'many.py': names.join(''),
      'latin.py': Buffer.from('def latin():\n    """Caf\xe9 of the camp site."""\n', 'latin1'),
      'deep.py': `x = ${'('.repeat(200_000)}`,
      'deep.ts': `const a = ${'['.repeat(200_000)}`,
      'Deep.java': 'class A {'.repeat(20_000),
      'lib/doc.go': 'package lib\n\n// Peg is a peg.\nfunc Peg() {}\n',
      'lib/huge.go': `package lib\n${huge}`,
      'lib/broken.go': 'package lib\nfunc (((( }} "\n\n// Rope is a rope.\nfunc Rope() {}\n',
      'src/lib.rs': `fn a() { ${'{'.repeat(100_000)}`,
      'Cargo.toml': '[package]\nname = "hostile"\n',
    },
  })
  const job = await app.parse('acme/hostile', { apiReference: true })
  expect(counts(job)).toEqual(['done', expect.any(Number)])
  expect(job.report?.snippetsAfter).toBeGreaterThan(10_000)
  expect(job.report?.skipped).toEqual([])
  for (const text of ['def pitch(kit', 'const fold', 'func Peg()', 'Set peg 9999'])
    expect(await app.context('/acme/hostile', text)).toContain(text)
})

describe('the command line', () => {
  const repo = 'acme/tents'
  const source = async () => (await app.call('GET', `/api/projects/${repo}/source`)).body
  const carrel = (...words: string[]) => runCarrel(words, { dataDir: app.dataDir })
  const wasRead = async () => (await app.context(`/${repo}`, 'pitch a tent on a meadow')).includes('def pitch(kit')
  beforeAll(() => app.git.create(repo, { files }))

  test('add --api-reference reads it at the first parse, and at one of a library without it', async () => {
    const add = (...words: string[]) => carrel('add', `${app.git.url}/${repo}`, ...words, '--wait')
    const added = (snippets: number) => ({ code: 0, out: expect.stringContaining(`/${repo}: ${snippets} snippets`) })
    expect(await add('--api-reference')).toMatchObject(added(3))
    expect([await wasRead(), await source()]).toMatchObject([true, { apiReference: true }])
    expect((await app.call('PATCH', `/api/projects/${repo}/source`, { apiReference: false })).status).toBe(200)
    await app.refresh(repo)
    expect(await wasRead()).toBe(false)
    expect(await add('--api-reference')).toMatchObject(added(3))
    expect([await wasRead(), await source()]).toMatchObject([true, { apiReference: true }])
  })

  test('apply shows a change of apiReference in its plan, and parses the same commit again', async () => {
    const file = join(tempDir(), 'carrel.yaml')
    const apply = (more: string, ...words: string[]) => {
      writeFileSync(file, `libraries: [{ url: ${app.git.url}/${repo}${more} }]\n`)
      return carrel('apply', file, ...words)
    }
    const planned = (from: boolean) => ({
      code: 0,
      out: expect.stringContaining(`~ /${repo} (apiReference: ${from} → ${!from})\n`),
    })
    expect(await apply('', '--dry-run')).toMatchObject(planned(true))
    expect(await wasRead()).toBe(true)
    expect(await apply('', '--wait')).toMatchObject(planned(true))
    expect([await wasRead(), await source()]).toMatchObject([false, { apiReference: false }])
    expect(await apply(', apiReference: true', '--wait')).toMatchObject(planned(false))
    expect([await wasRead(), await source()]).toMatchObject([true, { apiReference: true }])
    expect(await apply(', apiReference: true')).toMatchObject({ code: 0, out: 'Nothing to change: 1 unchanged.\n' })
    expect(await apply(', apiReference: often')).toMatchObject({ code: 1, err: expect.stringContaining('apiReference') })
  })

  test('apply adds a library with apiReference', async () => {
    await app.git.create('acme/pegs', { files })
    const file = join(tempDir(), 'carrel.yaml')
    const entry = (name: string) => `  - { url: ${app.git.url}/acme/${name}, apiReference: true }\n`
    writeFileSync(file, `libraries:\n${entry('tents')}${entry('pegs')}`)
    expect(await carrel('apply', file, '--wait')).toMatchObject({ code: 0, out: expect.stringContaining('+ /acme/pegs\n') })
    expect(await app.context('/acme/pegs', 'pitch a tent on a meadow')).toContain('def pitch(kit')
  })
})
