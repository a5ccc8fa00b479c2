import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git } from '../../fixtures/git-repository.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let now = new Date('2026-01-01T00:00:00Z')
let install: TestInstall

beforeAll(async () => {
  install = await testInstall({ now: () => now })
})
afterAll(() => install.close())

const many = (word: string, count: number) =>
  page('Guide', ...Array.from({ length: count }, (_, n) => `The ${word} number ${n} turns wheel ${n * 7}.`))
const lines = ({ log }: { log: { line: string }[] }) => log.map(({ line }) => line).join('\n')

function truncate(table: string): void {
  for (const file of readdirSync(join(table, 'data'))) truncateSync(join(table, 'data', file), 40)
}

describe('a library that is parsed again', () => {
  test('is not fetched if its commit is unchanged, unless forced', async () => {
    const commit = await install.git.create('again/same', { files: { 'README.md': many('lever', 3) } })
    await install.parse('again/same')
    const tables = await install.tables()
    install.git.misbehave('again/same', { kind: 'withhold', commit })

    const second = await install.parse('again/same')
    expect(second.state).toBe('done')
    expect(lines(second)).toContain('is indexed already. Add it with force to refresh it anyway.')
    expect(second.report).toMatchObject({ filesRead: 0, snippetsBefore: 3, snippetsAfter: 3 })
    expect(await install.tables()).toEqual(tables)

    install.git.misbehave('again/same')
    const third = await install.parse('again/same', { force: true })
    expect(third.report).toMatchObject({ filesRead: 1, snippetsBefore: 3, snippetsAfter: 3 })
  })

  test.each([
    ['whose tables are gone', (table: string) => rmSync(table, { recursive: true })],
    ['whose statistics are gone', (table: string) => table.endsWith('.statistics.lance') && rmSync(table, { recursive: true })],
    ['whose tables are damaged', truncate],
    ['whose snippets are damaged', (table: string) => !table.endsWith('.statistics.lance') && truncate(table)],
  ])('is read again with its versions %s, although no commit has changed, and is served', async (how, damage) => {
    const hurt = await testInstall()
    try {
      await hurt.git.create('hurt/tables', { files: { 'README.md': many('lever', 3) }, tags: ['v1'] })
      await hurt.parse('hurt/tables', { versions: ['v1'] })
      hurt.app.snippets.close()
      for (const table of await hurt.tables()) damage(join(hurt.dataDir, 'snippets', table))
      const ids = ['/hurt/tables', '/hurt/tables@v1']
      for (const id of ids) expect(await hurt.context(id, 'lever'), how).toContain(`The content of ${id} cannot be read`)
      expect((await hurt.refresh('hurt/tables')).state).toBe('done')
      for (const id of ids) expect(await hurt.context(id, 'lever'), how).toContain('The lever number')
      expect(lines(await hurt.refresh('hurt/tables'))).toContain('is indexed already')
    } finally {
      await hurt.close()
    }
  })

  test('is read again if the selection has changed, although the commit has not', async () => {
    await install.git.create('again/selection', { files: { 'a/one.md': many('lever', 2), 'b/two.md': many('pulley', 2) } })
    expect((await install.parse('again/selection')).report?.filesRead).toBe(2)
    const narrowed = await install.parse('again/selection', { folders: ['a'] })
    expect(narrowed.report).toMatchObject({ filesRead: 0, filesKept: 1, snippetsBefore: 4, snippetsAfter: 2 })
  })

  test('keeps its old content if more than half would be lost, reports it, and accepts the loss if forced', async () => {
    await install.git.create('again/shrinks', { files: { 'README.md': many('lever', 9) } })
    await install.parse('again/shrinks')
    await install.git.commit('again/shrinks', { files: { 'README.md': many('pulley', 4) } })

    const refused = await install.parse('again/shrinks')
    expect(refused.state).toBe('failed')
    expect(refused.report).toMatchObject({ filesRead: 1, snippetsBefore: 9, snippetsAfter: 9 })
    expect(refused.error).toBe(
      'no_snippets_found: The new content has 4 snippets, /again/shrinks has 9: more than half would be lost. The old content stays; add the library again with force to accept the loss.',
    )
    expect(await install.context('/again/shrinks', 'lever')).toContain('The lever number')

    expect((await install.parse('again/shrinks', { force: true })).state).toBe('done')
    expect(await install.context('/again/shrinks', 'pulley')).toContain('The pulley number')
  })

  test('keeps its old content on disk for ten minutes after the switch', async () => {
    await install.git.create('again/retired', { files: { 'README.md': many('lever', 3) } })
    await install.parse('again/retired')
    const [old] = install.app.catalog.versions({ owner: 'again', repo: 'retired' })
    await install.git.commit('again/retired', { files: { 'README.md': many('pulley', 3) } })
    await install.parse('again/retired')
    const isThere = async () => (await install.tables()).some((name) => name.startsWith(String(old?.generation)))
    expect(await isThere()).toBe(true)

    await install.git.create('again/other', { files: { 'README.md': many('lever', 1) } })
    now = new Date(now.getTime() + 9 * 60_000)
    // The second begins when the sweep after the first is over.
    for (let jobs = 0; jobs < 2; jobs++) await install.parse('again/other')
    expect(await isThere()).toBe(true)
    now = new Date(now.getTime() + 2 * 60_000)
    await install.parse('again/other', { force: true })
    await until(async () => !(await isThere()))
  })
})

describe('versions', () => {
  test('are indexed next to the default content and served separately', async () => {
    const { git } = install
    await git.create('many/versions', { files: { 'README.md': many('sundial', 2) }, tags: ['v1.0'] })
    await git.commit('many/versions', { files: { 'README.md': many('hourglass', 2) }, branch: 'release/2' })
    await git.commit('many/versions', { files: { 'README.md': many('chronometer', 2) }, branch: 'main' })
    const job = await install.parse('many/versions', { versions: ['v1.0', 'release/2'] })

    expect([job.state, job.report?.skipped]).toEqual(['done', []])
    expect(install.app.catalog.find({ owner: 'many', repo: 'versions' })?.versions).toEqual(['release~2', 'v1.0'])
    for (const [id, word] of [
      ['/many/versions', 'chronometer'],
      ['/many/versions/v1.0', 'sundial'],
      ['/many/versions@release~2', 'hourglass'],
    ] as const) {
      expect(await install.context(id, 'number turns wheel')).toContain(`The ${word} number`)
    }
  })

  test('follow their branch during a refresh although the default branch has not changed', async () => {
    await install.git.create('moving/branch', { files: { 'README.md': many('sundial', 2) } })
    await install.git.commit('moving/branch', { files: { 'README.md': many('hourglass', 2) }, branch: 'next' })
    await install.parse('moving/branch', { versions: ['next'] })
    await install.git.commit('moving/branch', { files: { 'README.md': many('metronome', 2) }, branch: 'next' })

    const { body } = await install.call('POST', '/api/projects/moving/branch/refresh')
    const job = await install.ended(Number(body.queueId))
    expect(job.report?.filesRead).toBe(1)
    expect(await install.context('/moving/branch@next', 'number turns')).toContain('The metronome number')
    expect(await install.context('/moving/branch', 'number turns')).toContain('The sundial number')
  })

  test('are not added again by a refresh after they were deleted', async () => {
    await install.git.create('drop/version', { files: { 'README.md': many('sundial', 2) }, tags: ['v1'] })
    await install.parse('drop/version', { versions: ['v1'] })
    expect((await install.call('DELETE', '/api/projects/drop/version@v1')).status).toBe(200)
    const { body } = await install.call('POST', '/api/projects/drop/version/refresh')
    await install.ended(Number(body.queueId))
    expect(install.app.catalog.find({ owner: 'drop', repo: 'version' })?.versions).toEqual([])
  })

  test('are not added again from the project file after they were deleted, until a parse requests them', async () => {
    const carrel = JSON.stringify({ previousVersions: [{ tag: 'v1' }, { tag: 'v2' }] })
    const files = { 'README.md': many('sundial', 2), 'carrel.json': carrel }
    await install.git.create('unwanted/version', { files, tags: ['v1', 'v2'] })
    const versions = () => install.app.catalog.find({ owner: 'unwanted', repo: 'version' })?.versions
    await install.parse('unwanted/version')
    expect(versions()).toEqual(['v1', 'v2'])
    await install.call('DELETE', '/api/projects/unwanted/version@v1')
    await install.git.commit('unwanted/version', { files: { 'README.md': many('hourglass', 2) } })
    await install.refresh('unwanted/version')
    expect(versions()).toEqual(['v2'])
    await install.parse('unwanted/version', { versions: ['v1'] })
    expect(versions()).toEqual(['v1', 'v2'])
    await install.refresh('unwanted/version')
    expect(versions()).toEqual(['v1', 'v2'])
  })

  test('are indexed from the project file when their tag appears, although the default branch has not changed', async () => {
    const files = { 'README.md': many('sundial', 2), 'carrel.json': JSON.stringify({ previousVersions: [{ tag: 'v1' }] }) }
    await install.git.create('late/tag', { files })
    expect((await install.parse('late/tag')).report?.skipped[0]?.path).toBe('@v1')
    await install.git.commit('late/tag', { files: { 'README.md': many('hourglass', 2) }, branch: 'next', tags: ['v1'] })
    expect((await install.refresh('late/tag')).report?.skipped).toEqual([])
    expect(await install.context('/late/tag@v1', 'number turns')).toContain('The hourglass number')
  })

  test('are the same for every spelling of their branch or tag', async () => {
    await install.git.create('full/names', { files: { 'README.md': many('sundial', 2) }, tags: ['v1'] })
    await install.git.commit('full/names', { files: { 'README.md': many('hourglass', 2) }, branch: 'release/2' })
    const asked = { versions: ['refs/tags/v1', 'v1', 'release/2', 'release~2', 'refs/heads/release/2'] }
    // The tag is the commit of the default branch: nothing is read for it.
    expect((await install.parse('full/names', asked)).report?.filesRead).toBe(2)
    expect(install.app.catalog.find({ owner: 'full', repo: 'names' })?.versions).toEqual(['release~2', 'v1'])
    await install.call('DELETE', '/api/projects/full/names@v1')
    await install.refresh('full/names')
    expect(install.app.catalog.find({ owner: 'full', repo: 'names' })?.versions).toEqual(['release~2'])
  })

  test('are read with a new selection by the next refresh if they could not be read with it', async () => {
    const files = { 'a/one.md': many('sundial', 2), 'b/two.md': many('hourglass', 2) }
    await install.git.create('new/selection', { files, tags: ['v1'] })
    await install.git.commit('new/selection', { files: { ...files, 'a/three.md': many('metronome', 1) } })
    await install.parse('new/selection', { versions: ['v1'] })
    await git(install.git.folder('new/selection'), ['update-ref', 'refs/backup/v1', 'refs/tags/v1'])
    await git(install.git.folder('new/selection'), ['update-ref', '-d', 'refs/tags/v1'])
    expect((await install.parse('new/selection', { versions: ['v1'], folders: ['a'] })).report?.skipped[0]?.path).toBe('@v1')
    await git(install.git.folder('new/selection'), ['update-ref', 'refs/tags/v1', 'refs/backup/v1'])
    expect(await install.context('/new/selection@v1', 'number turns')).toContain('The hourglass number')
    expect((await install.refresh('new/selection')).report).toMatchObject({ filesRead: 0, filesKept: 1 })
    expect(await install.context('/new/selection@v1', 'number turns')).not.toContain('The hourglass number')
  })

  test('keep their old content if more than half of it would be lost', async () => {
    await install.git.create('shrinking/version', { files: { 'README.md': many('sundial', 6) } })
    await install.git.commit('shrinking/version', { files: { 'README.md': many('hourglass', 6) }, branch: 'next' })
    await install.parse('shrinking/version', { versions: ['next'] })
    await install.git.commit('shrinking/version', { files: { 'README.md': many('metronome', 1) }, branch: 'next' })
    const job = await install.parse('shrinking/version', { versions: ['next'] })
    expect(job.state).toBe('done')
    expect(job.report?.skipped[0]?.reason).toContain('1 snippet, /shrinking/version@next has 6')
    expect(await install.context('/shrinking/version@next', 'number turns')).toContain('The hourglass number')
  })
})

describe('the project file', () => {
  test('sets the branch, the folders, the rules and the versions of a library', async () => {
    const carrel = {
      projectTitle: 'Clockwork',
      branch: 'stable',
      folders: ['manual'],
      rules: ['Wind it daily.'],
      previousVersions: [{ tag: 'v1' }],
    }
    const files = { 'manual/use.md': many('sundial', 1), 'notes/draft.md': many('draft', 1) }
    await install.git.create('owner/settings', { files, tags: ['v1'] })
    const named = await install.git.commit('owner/settings', { files: { 'carrel.json': JSON.stringify(carrel) } })
    const read = await install.git.commit('owner/settings', {
      files: { 'carrel.json': JSON.stringify(carrel), 'manual/use.md': many('hourglass', 1) },
      branch: 'stable',
    })
    const job = await install.parse('owner/settings')
    expect(lines(job)).toContain('The project file names the branch stable.')
    expect(install.app.catalog.find({ owner: 'owner', repo: 'settings' })).toMatchObject({
      title: 'Clockwork',
      branch: 'stable',
      versions: ['v1'],
      totalSnippets: 1,
    })
    const answer = await install.context('/owner/settings', 'number turns')
    expect(answer).toContain('Wind it daily.')
    expect(answer).toContain('The hourglass number')

    for (const commit of [named, read]) {
      install.git.misbehave('owner/settings', { kind: 'withhold', commit })
      const again = await install.parse('owner/settings')
      expect([again.state, again.report?.filesRead]).toEqual(['done', 0])
    }

    await install.git.commit('owner/settings', { files: { 'manual/use.md': many('metronome', 1) }, branch: 'stable' })
    install.git.misbehave('owner/settings', { kind: 'withhold', commit: named })
    expect((await install.parse('owner/settings')).report?.filesRead).toBe(1)
    install.git.misbehave('owner/settings')
    await install.git.commit('owner/settings', { files: { 'carrel.json': null, 'other.md': many('pendulum', 1) } })
    await install.parse('owner/settings')
    expect(install.app.catalog.find({ owner: 'owner', repo: 'settings' })?.branch).toBe('main')
  })

  test('is used without its branch if that does not exist, and the log reports it', async () => {
    const files = { 'README.md': many('sundial', 1), 'carrel.json': JSON.stringify({ branch: 'gone' }) }
    await install.git.create('owner/branch', { files })
    const job = await install.parse('owner/branch')
    expect(job.state).toBe('done')
    expect(lines(job)).toContain('The project file names the branch gone, which does not exist; main is read.')
    expect(install.app.catalog.find({ owner: 'owner', repo: 'branch' })?.branch).toBe('main')
  })

  test('is ignored if it is a link, too large or malformed, and the log reports it', async () => {
    const readme = { 'README.md': many('sundial', 1) }
    await install.git.create('owner/link', { files: { ...readme, 'carrel.json': { link: '/dev/zero' } } })
    await install.git.create('owner/large', { files: { ...readme, 'carrel.json': ' '.repeat(300_000) } })
    await install.git.create('owner/broken', { files: { ...readme, 'carrel.json': '{' } })
    const said = []
    for (const repo of ['owner/link', 'owner/large', 'owner/broken']) {
      const job = await install.parse(repo)
      expect(job.state).toBe('done')
      said.push(job.log.find(({ line }) => line.startsWith('Project file'))?.line)
    }
    expect(said).toEqual([
      'Project file: carrel.json is not a regular file; it is ignored',
      'Project file: carrel.json is larger than 256 KB; it is ignored',
      'Project file: carrel.json is not a JSON object; it is ignored',
    ])
  })
})

describe('a repository that has moved', () => {
  test('is read from its new address, keeps its id, and is refreshed from there while its host redirects', async () => {
    const { git } = install
    await git.create('old/name', { files: { 'README.md': many('sundial', 1) } })
    await git.create('new/name', { files: { 'README.md': many('hourglass', 2) } })
    git.misbehave('old/name', { kind: 'redirect', to: `${git.url}/new/name` })
    const job = await install.parse('old/name')
    expect(lines(job)).toContain(`The repository has moved to ${git.url}/new/name; it is read from there.`)
    expect(await install.context('/old/name', 'number turns')).toContain(`${git.url}/new/name/blob/`)

    await git.commit('new/name', { files: { 'README.md': many('metronome', 2) } })
    const refreshed = async () => {
      const { body } = await install.call('POST', '/api/projects/old/name/refresh')
      expect(body.project).toBe('/old/name')
      return install.ended(Number(body.queueId))
    }
    expect((await refreshed()).state).toBe('done')
    expect(await install.context('/old/name', 'number turns')).toContain('The metronome number')

    await git.remove('old/name')
    const { state, error } = await refreshed()
    expect([state, error]).toEqual(['failed', expect.stringContaining('no longer redirects the old name')])
    expect(await install.context('/old/name', 'number turns')).toContain('The metronome number')
  })
})

describe('the title of a library', () => {
  test('is the name of the repository if its README has no heading', async () => {
    await install.git.create('no/heading', { files: { 'README.md': 'The sundial turns its wheel without a heading.\n' } })
    await install.parse('no/heading')
    expect(install.app.catalog.find({ owner: 'no', repo: 'heading' })?.title).toBe('heading')
  })
})

describe('the deletion of a library', () => {
  test('removes its content and its tables immediately', async () => {
    await install.git.create('gone/soon', { files: { 'README.md': many('sundial', 1) }, tags: ['v1'] })
    await install.git.commit('gone/soon', { files: { 'README.md': many('sundial', 2) } })
    await install.parse('gone/soon', { versions: ['v1'] })
    const generations = install.app.catalog.versions({ owner: 'gone', repo: 'soon' }).map(({ generation }) => generation)
    const left = async () => (await install.tables()).filter((name) => generations.some((each) => name.startsWith(each)))
    expect(await left()).toHaveLength(4)
    await install.call('DELETE', '/api/projects/gone/soon')
    expect(await left()).toEqual([])
    expect(await install.context('/gone/soon', 'sundial')).toContain('/gone/soon is not in this install')
  })
})

describe('unreadable content', () => {
  test('a repository without documents fails with a code and a sentence, also in its log', async () => {
    await install.git.create('bad/code', { files: { 'main.c': 'int main() {}' } })
    const job = await install.parse('bad/code')
    const error = 'no_snippets_found: The repository holds no documentation that can be read.'
    expect([job.state, job.error, job.log.at(-1)?.line]).toEqual(['failed', error, error])
  })

  test('a repository whose documents are all skipped fails with a report of the reasons', async () => {
    await install.git.create('bad/links', { files: { 'docs/passwd.md': { link: '/etc/passwd' } } })
    const { state, report } = await install.parse('bad/links')
    expect(state).toBe('failed')
    expect(report).toMatchObject({
      filesRead: 0,
      skipped: [{ path: 'docs/passwd.md', reason: 'a link that is broken or leads out of the repository' }],
      snippetsAfter: 0,
    })
  })

  test('an empty repository fails with a sentence', async () => {
    await install.git.create('bad/empty', { files: {} })
    const job = await install.parse('bad/empty')
    expect(job).toMatchObject({ state: 'failed', error: 'no_snippets_found: The repository is empty: it has no commit yet.' })
  })

  test('links that leave the tree, names that are not UTF-8 and a 50 MB line are skipped, and a name with a newline is read', async () => {
    await install.git.create('bad/files', {
      files: {
        'README.md': many('sundial', 1),
        'docs/passwd.md': { link: '/etc/passwd' },
        'docs/up.md': { link: '../../../outside.md' },
        'docs/new\nline.md': page('Broken name', 'The zoetrope spins.'),
        'docs/huge.md': 'x'.repeat(50_000_000),
      },
    })
    const broken = [
      'commit refs/heads/main',
      'committer T <t@t> 1 +0000',
      'data 1',
      'x',
      'from refs/heads/main^0',
      'M 100644 inline "docs/bro\\377ken.md"',
      'data 5',
      'words',
      '',
    ]
    await git(install.git.folder('bad/files'), ['fast-import', '--quiet'], broken.join('\n'))
    const job = await install.parse('bad/files')
    expect(job.state).toBe('done')
    expect(job.report?.skipped).toEqual(
      expect.arrayContaining([
        { path: 'docs/bro\uFFFDken.md', reason: 'its name is not valid UTF-8' },
        { path: 'docs/huge.md', reason: 'larger than 10 MB' },
        { path: 'docs/passwd.md', reason: 'a link that is broken or leads out of the repository' },
        { path: 'docs/up.md', reason: 'a link that is broken or leads out of the repository' },
      ]),
    )
    expect(await install.context('/bad/files', 'zoetrope')).toContain('The zoetrope spins.')
    expect(await install.context('/bad/files', 'root bin bash')).not.toContain('root:')
  })
})

test('a clone is deleted when its job ends, without a warning or error in the log', async () => {
  await until(async () => (await readdir(join(install.dataDir, 'clones'))).length === 0)
  expect(install.log.troubles.filter(({ message }) => message !== 'a run of a job failed')).toEqual([])
})

test('the report has a row for each version, and its figures are their sums', async () => {
  await install.git.create('sums/docs', {
    files: { 'README.md': page('Guide', 'One.', 'Two.'), 'docs/empty.md': '' },
    tags: ['v1'],
  })
  await install.git.commit('sums/docs', { files: { 'docs/more.md': page('More', 'Three.', 'Four.', 'Five.') } })
  const first = await install.parse('sums/docs', { versions: ['v1'] })
  const row = (version: string, filesRead: number, snippets: number, skipped: number) =>
    expect.objectContaining({ version, filesRead, snippets, skipped })
  expect(first.report).toMatchObject({
    filesRead: 2,
    filesKept: 1,
    snippetsBefore: 0,
    snippetsAfter: 7,
    skipped: [{ path: '@v1/docs/empty.md' }, { path: 'docs/empty.md' }],
    versions: expect.arrayContaining([row('', 2, 5, 1), row('v1', 0, 2, 1)]),
  })
  expect(first.report?.tokens).toBe(first.report?.versions?.reduce((sum, { tokens }) => sum + tokens, 0))
  await install.git.commit('sums/docs', { files: { 'docs/more.md': page('More', 'Three.', 'Four.') } })
  const second = await install.refresh('sums/docs')
  expect(second.report).toMatchObject({
    filesRead: 1,
    filesKept: 1,
    snippetsBefore: 7,
    snippetsAfter: 6,
    versions: expect.arrayContaining([row('', 1, 4, 1), row('v1', 0, 2, 0)]),
  })
})
