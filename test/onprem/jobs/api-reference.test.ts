import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    expect(answer).toMatch(/\/acme\/kit\/blob\/[0-9a-f]{40}\/kit\/_tents\.py#L3\b/)
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
