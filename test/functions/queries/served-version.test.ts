import { expect, test } from 'vitest'
import { newRecord, withContent, withJobEnd } from '../../../functions/catalog/catalog-changes.ts'
import { catalogRecord, headOf } from '../../../functions/catalog/catalog-record.ts'
import { servedVersion } from '../../../functions/queries/served-version.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { failure } from '../../fixtures/failure.ts'

const now = new Date('2026-11-21T12:00:00.000Z')
const id = parseLibraryId('/Acme/Docs')
const added = newRecord({ id, sourceUrl: 'https://gitlab.com/Acme/Docs', private: false }, now)
const facts = {
  id: '/Acme/Docs',
  title: 'Docs',
  description: '',
  branch: 'main',
  sourceUrl: 'https://gitlab.com/Acme/Docs',
  private: false,
  aliases: [],
  settings: {},
}
const withVersions = (names: string[]) => {
  const contents = names.map((version) => ({
    version,
    ref: version || 'main',
    generation: `g-${version}`,
    commit: 'c',
    tokens: 1,
    snippets: 1,
    codeSnippets: 0,
    rules: [],
    format: 1,
  }))
  return catalogRecord(headOf(withContent(added, facts, contents, { now, bundleBytes: () => 0 })))
}
const refusal = (...[record, asked, job]: Parameters<typeof servedVersion>) =>
  failure((async () => servedVersion(record, asked, job))())
const progress = { stage: '', filesDone: 0, filesTotal: 0, snippets: 0 }

test.each([
  ['1.0.0', 'v1.0.0'],
  ['V1.0.0', 'v1.0.0'],
  ['v2.0.0', '2.0.0'],
  ['3.0.0', '3.0.0'],
  ['release/2.0', 'release~2.0'],
  ['release~2.0', 'release~2.0'],
])('the version %s is served as %s', (version, served) => {
  const record = withVersions(['', 'v1.0.0', '2.0.0', '3.0.0', 'v3.0.0', 'release~2.0'])
  expect(servedVersion(record, { ...id, version }).version).toBe(served)
})

test.each([
  ['no job is known', undefined, 'it is waiting in the queue'],
  ['its job waits', { state: 'queued' as const, progress }, 'it is waiting in the queue'],
  ['it is fetched', { state: 'running' as const, progress }, 'it is being fetched'],
  [
    'it says where',
    { state: 'running' as const, progress: { ...progress, stage: 'Receiving: 3 %' } },
    'it is being fetched (Receiving: 3 %)',
  ],
  ['it is read', { state: 'running' as const, progress: { ...progress, filesDone: 3, filesTotal: 9 } }, '3 of 9 files are done'],
])('a library without content is not found, with its progress in the error: %s', async (_, job, stage) => {
  const { code, message } = await refusal(catalogRecord(added), id, job)
  expect([code, message]).toEqual(['library_not_found', `/Acme/Docs is being added: ${stage}. Try again when it is finished.`])
})

test('a failed first parse is reported with its reason, unless the next parse is running', async () => {
  const failed = catalogRecord(withJobEnd(added, { error: 'The repository is empty.' }))
  expect((await refusal(failed, id)).message).toBe(
    '/Acme/Docs has no content: it could not be added. The repository is empty. Refresh it to try again.',
  )
  expect((await refusal(failed, id, { state: 'queued', progress })).message).toContain('it is waiting in the queue')
})

test('the error for a missing version lists the existing versions', async () => {
  const { code, message } = await refusal(withVersions(['', 'v2', 'v1']), { ...id, version: 'v3' })
  expect([code, message]).toEqual([
    'tag_not_found',
    '/Acme/Docs has no version "v3". Its versions: v1, v2. Omit the version for the default content.',
  ])
  expect((await refusal(withVersions(['']), { ...id, version: 'v3' })).message).toContain('It has no versions besides')
  expect((await refusal(withVersions(['v1']), id)).message).toBe('/Acme/Docs has no default content. Its versions: v1.')
})

test('a message stays short with a thousand tags or a long name', async () => {
  const many = withVersions(Array.from({ length: 1000 }, (_, n) => `v${n}`))
  const { message } = await refusal(many, { ...id, version: 'x'.repeat(400) })
  expect(message).toContain(' and 900 more.')
  expect(message.length).toBeLessThan(1500)
})

test('the source of a library is GitHub, GitLab or another host', () => {
  const sourceOf = (sourceUrl: string, addedPrivate = false) =>
    catalogRecord({ ...added, sourceUrl, addedPrivate }).library.source
  expect([
    sourceOf('https://github.com/a/b'),
    sourceOf('https://gitlab.example.com/a/b', true),
    sourceOf('http://127.0.0.1:3000/a/b'),
  ]).toEqual(['GitHub', 'GitLab (Private)', 'Git'])
})
