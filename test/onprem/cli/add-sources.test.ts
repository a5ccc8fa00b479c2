import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import JSZip from 'jszip'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ConfluenceServer, startConfluence } from '../../fixtures/confluence-server.ts'
import { startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { runCarrel, startCarrel } from '../../fixtures/run-carrel.ts'
import { prepareDir, startServer } from '../../fixtures/server-process.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let site: StaticSite
let wiki: ConfluenceServer
const html = (text: string) => ({ headers: { 'content-type': 'text/html' }, body: `<h1>Birds</h1><p>${text}</p>` })
const description = (title: string) =>
  JSON.stringify({ openapi: '3.1.0', info: { title }, paths: { '/eggs': { get: { summary: 'List eggs', responses: {} } } } })
beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/anvil', { files: { 'README.md': page('Anvil', 'The anvil is heavy.') } })
  site = await startStaticSite({
    '/docs/': html('The wren sings.'),
    '/llms.txt': { headers: { 'content-type': 'text/plain' }, body: '# Nests\n\n- [Twigs](/twigs.md)\n' },
    '/twigs.md': { headers: { 'content-type': 'text/markdown' }, body: page('Twigs', 'Twigs hold the nest.') },
    '/api/v1.json': { headers: { 'content-type': 'application/json' }, body: description('Eggs') },
    '/api-docs': { headers: { 'content-type': 'application/json' }, body: description('Feathers') },
  })
  const pages = [
    { id: '1', title: 'Birds', version: 1, storage: '<p>The wren sings.</p>' },
    { id: '2', title: 'Owls', version: 1, parentId: '1', storage: '<p>Owls sleep by day.</p>' },
  ]
  wiki = await startConfluence('cloud', [{ key: 'BIRDS', id: 1, name: 'Birds', pages }])
  app.app.settings.change({ 'sources.allowedHosts': [site.host] })
})
afterEach(() => app.app.settings.change({ 'sources.allowedHosts': [site.host] }))
afterAll(async () => {
  await app.close()
  await site.close()
  await wiki.close()
})

const add = (...words: string[]) => runCarrel(['add', ...words], { dataDir: app.dataDir })
const newestRequest = () => {
  const [job] = app.app.jobs.list(1, 1).jobs
  return job && app.app.jobs.order(job.id)?.request
}
function write(folder: string, files: Record<string, string | Buffer>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}
/** The paths of the files that the last upload stored. */
function storedPaths(): string[] {
  const request = newestRequest()
  const source = request && 'source' in request ? request.source : undefined
  const folder = join(app.dataDir, 'imports', source && 'upload' in source ? source.upload : '')
  const list = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as { path: string }[]
  return list.map(({ path }) => path)
}

describe('add of an address', () => {
  test.each([
    ['/docs/', [], '/websites/', 'website'],
    ['/llms.txt', [], '/llmstxt/', 'llmstxt'],
    ['/api/v1.json', [], '/openapi/', 'openapi'],
    ['/api-docs', ['--kind', 'openapi'], '/openapi/feathers', 'openapi'],
  ])('finds out what %s is', async (path, words, id, kind) => {
    const title = words.length > 0 ? ['--title', 'Feathers'] : []
    const { code, out, err } = await add(`${site.url}${path}`, ...words, ...title, '--wait')
    expect([code, out], err).toEqual([0, expect.stringMatching(new RegExp(`^${id}\\S*: \\d+ snippets? from \\d files?`))])
    expect(newestRequest()).toMatchObject({ source: { kind } })
  })

  test('sends the options of a crawl', async () => {
    const words = ['--title', 'Wrens', '--max-pages', '7', '--max-depth', '0', '--exclude', '/blog/*', '--wait']
    expect(await add(`${site.url}/docs/`, ...words)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\/websites\/wrens: /),
    })
    const source = { title: 'Wrens', maxPages: 7, maxDepth: 0, excludePatterns: ['/blog/*'] }
    expect(newestRequest()).toMatchObject({ source })
  })

  test('adds a space or page of the Confluence in the settings, and of another one that is named as such', async () => {
    app.app.settings.change({ 'sources.allowedHosts': [site.host, wiki.host], 'confluence.baseUrl': wiki.site })
    const space = await add(`${wiki.site}/spaces/BIRDS/overview`, '--wait')
    expect([space.code, space.out], space.err).toEqual([
      0,
      expect.stringMatching(/^\/confluence\/birds: 2 snippets from 2 files/),
    ])
    const page = await add(`${wiki.site}/spaces/BIRDS/pages/2/Owls`, '--title', 'Owls', '--description', 'At night', '--wait')
    expect([page.code, page.out], page.err).toEqual([0, expect.stringMatching(/^\/confluence\/owls: 1 snippet from 1 file/)])
    expect(newestRequest()).toMatchObject({ source: { kind: 'confluence', url: wiki.site, description: 'At night' } })
    app.app.settings.change({ 'confluence.baseUrl': null })
    const named = await add(`${wiki.site}/spaces/BIRDS`, '--kind', 'confluence', '--title', 'Named', '--wait')
    expect([named.code, named.out], named.err).toEqual([0, expect.stringMatching(/^\/confluence\/named: /)])
  })

  test('names the command that allows a host, with those that are allowed already', async () => {
    expect(await add('https://docs.example.com/guide/')).toEqual({
      code: 1,
      out: '',
      err: `carrel: docs.example.com is not among the hosts that documentation may be read from. Allow it: npm run -s carrel -- settings set sources.allowedHosts ${site.host},docs.example.com\n`,
    })
  })

  test('adds a repository of a known host as before, and says where git servers and packages are named', async () => {
    expect(await add(`${app.git.url}/acme/anvil`, '--wait')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\/acme\/anvil/),
    })
    expect((await add('https://gitlab.example.com/acme/anvil')).err).toContain('git.hosts')
    expect((await add('https://acme.atlassian.net/wiki/spaces/DOC')).err).toContain(
      `sources.allowedHosts ${site.host},acme.atlassian.net`,
    )
    expect((await add('https://crates.io/crates/unheard-of')).err).toContain('No repository of "unheard-of" is known here.')
  })

  test.each([
    [['./docs', '--branch', 'next'], '--branch does not apply to ./docs, which is added as files.'],
    [
      ['https://docs.example.com', '--name', 'x'],
      '--name does not apply to https://docs.example.com, which is added as a website.',
    ],
    [['./a', './b', '--name', 'x'], '--name can only be meant for one source. Add one at a time with that.'],
    [['acme/anvil', '--watch'], '--watch does not apply to acme/anvil, which is added as a repository.'],
    [
      ['https://acme.atlassian.net/wiki/spaces/DOC', '--max-pages', '7'],
      '--max-pages does not apply to https://acme.atlassian.net/wiki/spaces/DOC, which is added as Confluence.',
    ],
    [
      ['https://acme.atlassian.net/wiki'],
      'https://acme.atlassian.net/wiki leads to no space or page of Confluence. Name one, as in https://example.atlassian.net/wiki/spaces/DOC.',
    ],
    [['https://docs.example.com', '--max-pages', 'all'], '--max-pages must be a number from 1 to 10000.'],
  ])('rejects options that mean nothing there: %j', async (words, sentence) => {
    expect(await add(...words)).toEqual({ code: 2, out: '', err: expect.stringContaining(`carrel: ${sentence}\n`) })
  })
})

describe('add of files', () => {
  test('sends the documents of a folder and what they may include, but nothing that is ignored', async () => {
    const folder = write(join(tempDir(), 'Field Guide'), {
      'start.md': page('Start', 'The heron waits.'),
      'guide/deep/reeds.rst': 'Reeds\n=====\n\nReeds hide the heron.\n',
      'guide/sample.py': 'print("heron")\n',
      'guide/picture.png': Buffer.from([137, 80, 78, 71, 0, 0]),
      'guide/drafts/new.md': page('Draft', 'A draft.'),
      'guide/.gitignore': 'drafts/\n*.tmp.md\n!keep.tmp.md\n',
      'guide/a.tmp.md': page('Temporary', 'Temporary.'),
      'guide/keep.tmp.md': page('Kept', 'The kept page.'),
      '.env': 'SECRET=1',
      '.github/notes.md': page('Notes', 'Notes.'),
      'node_modules/other/README.md': page('Other', 'Of others.'),
      'build/out.md': page('Built', 'Built.'),
      '.gitignore': 'build\n',
    })
    symlinkSync('/etc/passwd', join(folder, 'passwd.md'))
    const { code, out, err } = await add(folder, '--title', 'Herons', '--wait')
    expect([code, out], err).toEqual([0, expect.stringMatching(/^\/files\/field-guide: 3 snippets from 3 files/)])
    expect(storedPaths()).toEqual(['guide/deep/reeds.rst', 'guide/keep.tmp.md', 'guide/sample.py', 'start.md'])
    expect(newestRequest()).toMatchObject({ source: { title: 'Herons' } })
  })

  test('takes a zip, single documents and API descriptions, each as a library', async () => {
    const zip = new JSZip()
    zip.file('docs/a.md', page('A', 'From a zip.'))
    const folder = write(tempDir(), {
      'Manual 2.zip': await zip.generateAsync({ type: 'nodebuffer' }),
      'note.html': '<h1>Note</h1><p>A single note.</p>',
      'pet store.yaml': 'openapi: 3.1.0\ninfo: {title: Pets}\npaths: {/pets: {get: {summary: List pets, responses: {}}}}\n',
    })
    const paths = readdirSync(folder).map((name) => join(folder, name))
    const { code, out, err } = await add(...paths, '--wait')
    expect([code, out.split('\n').map((line) => line.split(':')[0])], err).toEqual([
      0,
      ['/files/manual-2', '/files/note', '/openapi/pet-store', ''],
    ])
  })

  test('says what is wrong with a path before it sends anything', async () => {
    const folder = write(tempDir(), { 'empty/main.bin': Buffer.from([0]), 'tool.exe': Buffer.from([0]), 'data.json': '{}' })
    const jobs = app.app.jobs.list(1, 1).total
    for (const [path, sentence] of [
      ['missing', `${folder}/missing does not exist.`],
      ['empty', `${folder}/empty holds no document. These formats are read:`],
      ['tool.exe', `${folder}/tool.exe holds no document.`],
      ['data.json', '"data.json" is no OpenAPI'],
    ] as const)
      expect(await add(path === 'missing' ? `./${join('../..', folder, path)}` : join(folder, path))).toMatchObject({
        code: 1,
        err: expect.stringContaining(path === 'missing' ? 'missing does not exist.' : sentence),
      })
    expect(app.app.jobs.list(1, 1).total).toBe(jobs)
  })

  test('rejects a folder above the limits of an upload, with what to do', async () => {
    const many = write(tempDir(), Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${at}.md`, '# A\n'])))
    expect(await add(many)).toMatchObject({ code: 1, err: expect.stringContaining('holds more files than an upload may have') })
  })

  test('runs the job itself if no server runs', async () => {
    const folder = write(join(tempDir(), 'notes'), { 'a.md': page('Alone', 'Nobody serves this.') })
    const dataDir = join(tempDir(), 'data')
    expect(await runCarrel(['add', folder], { dataDir })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\/files\/notes: 1 snippet from 1 file/),
    })
    expect(await runCarrel(['add', folder, '--watch'], { dataDir })).toMatchObject({
      code: 1,
      err: expect.stringContaining('--watch needs a running server. Start it: npm run -s carrel -- start'),
    })
  })
})

test('add --watch uploads changed content again, across a restart of the server, until Ctrl-C', {
  timeout: 120_000,
}, async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const folder = write(join(tempDir(), 'pond'), { 'a.md': page('Pond', 'The first frog.') })
  const child = startCarrel(['add', folder, '--watch'], { dataDir: prepared.dataDir })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line))
  const said = (pattern: RegExp, times = 1) =>
    expect.poll(() => lines.filter((line) => pattern.test(line)).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(times)
  const done = /^\/files\/pond: 1 snippet/
  await said(done)
  await said(/Watching .*pond, 1 file\. Ctrl-C ends this\./)

  write(folder, { 'a.md': page('Pond', 'The second frog.') })
  await said(done, 2)
  expect(await first.context('/files/pond', 'frog')).toContain('The second frog.')
  // A new date is no change.
  utimesSync(join(folder, 'a.md'), new Date(), new Date())

  await first.kill()
  write(folder, { 'a.md': page('Pond', 'The third frog.') })
  await said(/The server does not respond\. Files are uploaded when it runs again\./)
  const second = await startServer(prepared)
  await said(/The server runs again\./)
  await said(done, 3)
  expect(await second.context('/files/pond', 'frog')).toContain('The third frog.')
  expect(lines.filter((line) => done.test(line))).toHaveLength(3)

  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
})
