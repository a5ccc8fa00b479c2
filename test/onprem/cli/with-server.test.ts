import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { head } from '../../fixtures/bundle.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { runCarrel, runCarrelProcess, runOnTerminal, startCarrel, startOnTerminal } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'
import { bundleZip } from '../../fixtures/zips.ts'

let app: TestInstall
beforeAll(async () => {
  app = await widgetsInstall()
  await app.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nSlow words.\n' } })
  await app.git.create('acme/empty', { files: { 'main.c': 'int main;' } })
})
afterAll(() => app.close())
beforeEach(() => {
  app.git.misbehave('acme/slow')
})

const carrel = (...words: string[]) => runCarrel(words, { dataDir: app.dataDir })
const serverFile = () => join(app.dataDir, 'server.json')
const newestJob = () => app.app.jobs.list(1, 1).jobs[0]?.id ?? 0

describe('a question to a running server', () => {
  test('list prints a line per library: id, versions, snippets, state, date', async () => {
    const { code, out, err } = await carrel('list')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^\/acme\/widgets\trelease~2\.x, v1\.0\.0\t4\tready\t\d{4}-\S+Z\t\d{4}-\S+Z\n$/)
  })

  test('list --json prints the libraries as the API returns them', async () => {
    const { projects } = (await app.call('GET', '/api/projects')).body
    expect(JSON.parse((await carrel('list', '--json')).out)).toEqual(projects)
  })

  test('search prints the libraries that a name may mean', async () => {
    const out = '/acme/widgets\tWidgets\t4\tSmall widgets for web pages\n'
    expect(await carrel('search', 'widgets')).toEqual({ code: 0, out, err: '' })
    expect(await carrel('search', 'widgits')).toEqual({ code: 0, out, err: 'carrel: No exact match; similar names:\n' })
    expect(await carrel('search', 'acme/gears')).toEqual({ code: 0, out, err: 'carrel: No exact match; of the same owner:\n' })
  })

  test.each(['/acme/widgets', 'acme/widgets', 'ACME/Widgets@v1.0.0'])(
    'ask %s prints the context that agents get',
    async (library) => {
      const id = `/${library.replace(/^\//, '')}`
      const { code, out, err } = await carrel('ask', library, 'how', 'do', 'I', 'paint')
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toBe(`${await app.context(id, 'how do I paint')}\n`)
    },
  )

  test('ask takes the name of a library, and says which one it asks', async () => {
    const { code, out, err } = await carrel('ask', 'widgets@v1.0.0', 'how', 'do', 'I', 'paint')
    expect({ code, err }).toEqual({ code: 0, err: 'carrel: widgets is /acme/widgets.\n' })
    expect(out).toBe(`${await app.context('/acme/widgets@v1.0.0', 'how do I paint')}\n`)
    expect(await carrel('ask', 'wigets', 'paint')).toMatchObject({
      code: 1,
      err: 'carrel: No library is called "wigets". Did you mean /acme/widgets?\n',
    })
  })

  test('ask --json prints the context as JSON, with a budget', async () => {
    const params = new URLSearchParams({ libraryId: '/acme/widgets', query: 'paint', type: 'json', tokens: '500' })
    const answer = await app.ask(`/api/v2/context?${params}`)
    expect(JSON.parse((await carrel('ask', 'acme/widgets', 'paint', '--json', '--tokens', '500')).out)).toEqual(
      await answer.json(),
    )
  })

  test('ask --all asks all libraries, and --also names more of them', async () => {
    const { code, out } = await carrel('ask', '--all', 'how', 'do', 'I', 'paint')
    expect([code, out.split('\n').find((line) => line.startsWith('Source: '))]).toEqual([
      0,
      expect.stringContaining('/acme/widgets/'),
    ])
    const more = await carrel('ask', 'acme/widgets', 'paint', '--also', 'acme/nothing')
    expect(more).toMatchObject({ code: 0, out: expect.stringContaining('Note: /acme/nothing gave no answer.') })
    const other = await carrel('ask', 'acme/widgets', 'paint', '--version', 'v9', '--docs-language', 'de')
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('has no version "v9"') })
  })

  test('pages lists the pages of a library, and read prints one of them', async () => {
    const list = await carrel('pages', 'acme/widgets')
    expect(list).toMatchObject({ code: 0, out: expect.stringMatching(/^- docs\/paint\.md: Painting \(\d+ tokens\)$/m) })
    const page = await carrel('read', 'acme/widgets', 'docs/paint.md', 'Colours')
    expect(page).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^# Painting\n\nSource: [\s\S]*## Colours\n\nEvery colour/),
    })
    expect(JSON.parse((await carrel('pages', 'acme/widgets', 'docs', '--json')).out)).toMatchObject({ folder: 'docs' })
    expect((await carrel('read', 'acme/widgets', 'docs/pain.md')).err).toContain('Similar paths: docs/paint.md.')
  })

  test.each([
    [
      ['search', 'qqqqqqqq'],
      'No library matches "qqqqqqqq". Try its full name, its package name or owner/repo, or add it (npm run -s carrel -- add owner/repo).',
    ],
    [
      ['ask', 'acme/nothing', 'paint'],
      '/acme/nothing is not in this install. Search for its name (npm run -s carrel -- search name), or add it (npm run -s carrel -- add owner/repo).',
    ],
  ])('the command %j without a match names the next command', async (words, sentence) => {
    expect(await carrel(...words)).toEqual({ code: 1, out: '', err: `carrel: ${sentence}\n` })
  })

  test('a question that does not fit in a request is wrong usage', async () => {
    const err = 'carrel: The question is too long. Ask a shorter one.\n'
    expect(await carrel('ask', 'acme/widgets', 'paint '.repeat(17_000))).toEqual({ code: 2, out: '', err })
  })

  test('ask counts as a use of the command line', async () => {
    await app.git.create('acme/counted', { files: { 'README.md': '# Counted\n\nCounted words.\n' } })
    await app.parse('acme/counted')
    await carrel('ask', 'acme/counted', 'words')
    const usage = async () => (await app.call('GET', '/api/v2/libs/metrics?libraryId=/acme/counted')).body.total
    await expect.poll(usage).toEqual({ page: 0, txt: 0, mcp: 0, cli: 1 })
    await app.call('DELETE', '/api/projects/acme/counted')
  })

  test('a reader that stops after the first line ends a command without an error', async () => {
    const child = startCarrel(['ask', 'acme/widgets', 'paint'], { dataDir: app.dataDir })
    child.stdout.destroy()
    expect([await once(child, 'exit'), await text(child.stderr)]).toEqual([[0, null], ''])
  })
})

describe('a change of a running server', () => {
  test('add returns immediately and names the job, and jobs ID --wait follows it', async () => {
    await app.git.create('acme/queued', { files: { 'README.md': '# Queued\n\nQueued words.\n' } })
    const { code, out } = await carrel('add', `${app.git.url}/acme/queued`)
    const id = newestJob()
    expect({ code, out }).toEqual({
      code: 0,
      out: `/acme/queued is queued as job ${id}. Watch it with: npm run -s carrel -- jobs ${id} --wait\n`,
    })
    await app.ended(id)
    expect(await carrel('jobs', String(id), '--wait')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\/acme\/queued: 1 snippet from 1 file, in [\d.]+ s\.\n$/),
    })
  })

  test('add --wait ends with the library, its snippets and the next command', async () => {
    const words = ['--branch', 'release/2.x', '--version', 'v1.0.0', '--folder', 'docs', '--language', 'EN', '--force', '--wait']
    const { code, out, err } = await carrel('add', `${app.git.url}/acme/widgets`, ...words)
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^\/acme\/widgets: \d+ snippets from \d+ files, in [\d.]+ s\.\n$/),
    })
    expect(err).toMatch(
      /^(carrel: \/acme\/widgets: .*\n)+carrel: Ask it: npm run -s carrel -- ask \/acme\/widgets "your question"\n$/,
    )
    expect(app.app.jobs.order(newestJob())?.request).toMatchObject({
      branch: 'release/2.x',
      versions: ['v1.0.0'],
      folders: ['docs'],
      languages: ['en'],
      force: true,
    })
  })

  test('add --wait on a terminal shows a bar, and removes it at the end', async () => {
    const words = ['add', `${app.git.url}/acme/slow`, '--force', '--wait']
    const { code, screen } = await runOnTerminal(words, { dataDir: app.dataDir })
    expect(code).toBe(0)
    const [bar = '', ...rest] = screen.split('\r\u001b[K').at(-1)?.split('\n') ?? []
    expect(screen).toMatch(/\[[#.]{20}\] \/acme\/slow: /)
    expect([bar, ...rest]).toEqual([
      expect.stringMatching(/^✓ \/acme\/slow: 1 snippet from 1 file, in [\d.]+ s\.$/),
      'carrel: Ask it: npm run -s carrel -- ask /acme/slow "your question"',
      '',
    ])
  })

  test('add --wait of a repository without documentation ends with the reason', async () => {
    expect(await carrel('add', `${app.git.url}/acme/empty`, '--wait')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/carrel: \/acme\/empty: The repository holds no documentation that can be read\.\n$/),
    })
  })

  test('add --private fails without a token for the host', async () => {
    expect(await carrel('add', `${app.git.url}/acme/widgets`, '--private')).toEqual({
      code: 1,
      out: '',
      err: `carrel: No token for ${app.git.url} is stored, so private repositories cannot be read. Store one: npm run -s carrel -- settings set github.token -\n`,
    })
  })

  test('refresh --wait after a commit prints how many files it read and kept, as jobs ID and the log of the server do', async () => {
    const page = (word: string) => `# ${word}\n\nThe ${word} turns.\n`
    await app.git.create('acme/kept', { files: { 'a.md': page('lever'), 'b.md': page('wheel'), 'c.md': page('crank') } })
    await app.parse('acme/kept')
    await app.git.commit('acme/kept', { files: { 'a.md': page('spring') } })
    const { code, out } = await carrel('refresh', 'acme/kept', '--wait')
    const summary = /^\/acme\/kept: 3 snippets, 1 file read, 2 unchanged files kept, in [\d.]+ s\.\n$/
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(summary) })
    const shown = await carrel('jobs', String(newestJob()))
    expect(shown.out).toContain('\nfiles\t1 file read, 2 unchanged files kept\n')
    expect(shown.out).toContain('  main: 3 snippets, 1 file read, 2 unchanged files kept, 0 skipped.\n')
    const logged = app.log.lines.find(({ message, fields }) => message === 'job' && fields.job === newestJob())
    expect(logged?.fields).toMatchObject({ files: 1, filesKept: 2, snippets: 3 })
  })

  test('refresh --wait reads the library again', async () => {
    const { code, out } = await carrel('refresh', 'acme/widgets', '--wait')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\/acme\/widgets: (unchanged, )?\d+ snippets/) })
  })

  test('refresh --all reads all libraries, and several arguments go on after one that fails', async () => {
    const { projects } = (await app.call('GET', '/api/projects')).body as { projects: { id: string; state: string }[] }
    const ids = projects.flatMap(({ id, state }) => (state === 'finalized' ? id : []))
    const all = await carrel('refresh', '--all', '--wait')
    expect(all.out.split('\n').map((line) => line.split(':')[0])).toEqual([...ids, ''])
    const some = await carrel('refresh', 'acme/nothing', 'acme/widgets', '--wait')
    expect(some).toMatchObject({ code: 1, out: expect.stringMatching(/^\/acme\/widgets: (unchanged, )?\d+ snippets/) })
    expect(some.err).toContain('carrel: /acme/nothing is not in this install')
  })

  test('jobs --failed and list --stale list what needs a look', async () => {
    await carrel('add', 'acme/missing', '--wait')
    const states = (await carrel('jobs', '--failed')).out.split('\n').flatMap((line) => line.split('\t')[3] || [])
    expect(new Set(states)).toEqual(new Set(['failed']))
    const stale = async (...days: string[]) => (await carrel('list', '--stale', ...days)).out
    expect(await stale()).not.toContain('/acme/widgets')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * 24 * 60 * 60 * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect([await stale('19'), await stale()].map((out) => out.includes('/acme/widgets'))).toEqual([true, false])
  })

  test('remove deletes a library, and the audit log names the command line', async () => {
    await app.git.create('acme/gone', { files: { 'README.md': '# Gone\n\nGone words.\n' } })
    await app.parse('acme/gone')
    expect(await carrel('remove', 'acme/gone', '--yes')).toEqual({ code: 0, out: '/acme/gone is deleted.\n', err: '' })
    expect(app.app.audit.list(1, 1).entries).toMatchObject([
      { actor: 'command line', action: 'library.delete', subject: '/acme/gone' },
    ])
  })

  test('remove asks on a terminal, and deletes nothing without a confirmation', async () => {
    const child = startOnTerminal(['remove', 'acme/widgets'], { dataDir: app.dataDir })
    const screen = text(child.stdout)
    child.stdout.once('data', () => child.stdin.write('n\r'))
    const [code] = await once(child, 'exit')
    expect([code, await screen]).toEqual([0, expect.stringContaining('Delete /acme/widgets? [y/N]')])
    expect(await screen).toContain('Nothing was deleted.')
    expect((await app.call('GET', '/api/projects/acme/widgets')).status).toBe(200)
  })

  test('jobs lists the jobs, newest first', async () => {
    const { jobs } = app.app.jobs.list(1, 200)
    const { code, out } = await carrel('jobs')
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split('\t').slice(0, 4).join(' '))).toEqual([
      ...jobs.map(({ id, project, kind, state }) => `${id} ${project} ${kind} ${state}`),
      '',
    ])
  })

  test('jobs ID shows one job with the end of its log', async () => {
    const { out } = await carrel('jobs', '1')
    expect(out).toMatch(/^job\t1\nlibrary\t\/acme\/widgets\nkind\tparse\nstate\tdone\n/)
    const log = app.app.jobs.log(1)
    expect(out.split('\n').slice(-log.length - 1)).toEqual([...log.map(({ at, line }) => `${at}  ${line}`), ''])
  })

  test('import uploads JSON, and reports skipped libraries', async () => {
    const file = join(tempDir(), 'bundle.json')
    const element = (libraryId: string) => ({ ...head({ project: libraryId }), ...snippetsOf('One', 'Two') })
    writeFileSync(file, JSON.stringify({ libraries: [element('/acme/imported'), element('/acme/widgets')] }))
    const { code, out, err } = await carrel('import', file, '--wait')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\/acme\/imported: 2 snippets/) })
    expect(err).toContain('carrel: skipped /acme/widgets: already exists\n')
  })

  test('import uploads a zip, and fails if nothing is imported', async () => {
    const file = join(tempDir(), 'bundle.zip')
    const libraryId = '/acme/zipped'
    const element = JSON.stringify({ libraries: [{ ...head({ project: libraryId }), ...snippetsOf('One') }] })
    writeFileSync(file, await bundleZip([{ project: libraryId, file: 'zipped.json', text: element }]))
    const first = await carrel('import', file)
    expect(first).toMatchObject({ code: 0, out: '/acme/zipped is queued.\n' })
    await app.ended(newestJob())
    expect(await carrel('import', file, '--wait')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^carrel: Reading bundle\.zip\ncarrel: skipped \/acme\/zipped: already exists\ncarrel: Nothing was imported\.\n$/,
      ),
    })
    expect(await carrel('import', file, '--force', '--wait')).toMatchObject({ code: 0 })
  })

  test('import fails with the reason for a file that is no bundle', async () => {
    const file = join(tempDir(), 'notes.json')
    writeFileSync(file, 'Notes.')
    expect(await carrel('import', file)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^carrel: Reading notes\.json\ncarrel: The body is not [^\n]+\.\n$/),
    })
  })
})

describe('a wrong command', () => {
  test.each([
    [2, ['add']],
    [2, ['add', 'ftp://example.com/a/b']],
    [2, ['ask', 'acme/widgets']],
    [1, ['ask', 'wigets', 'paint']],
    [2, ['ask', '--all', 'paint', '--also', 'acme/widgets']],
    [2, ['refresh']],
    [2, ['refresh', 'acme/widgets', '--all']],
    [2, ['remove', 'acme/widgets']],
    [2, ['add', 'acme/a', 'acme/b', '--branch', 'next']],
    [2, ['list', '--stale', 'old']],
    [2, ['jobs', '1', '--failed']],
    [2, ['ask', 'acme/widgets', 'paint', '--tokens', 'many']],
    [2, ['refresh', 'a/../../keys/b']],
    [2, ['remove', 'acme/wid gets']],
    [2, ['jobs', 'last']],
    [2, ['list', 'everything']],
    [2, ['list', '--yaml']],
    [2, ['import']],
    [2, ['import', '/nowhere/bundle.zip', '--forced']],
    [1, ['import', '/nowhere/bundle.zip']],
    [1, ['import', '/tmp']],
    [1, ['search', 'qqqqqqqq']],
    [1, ['ask', 'acme/nothing', 'paint']],
    [1, ['ask', 'acme/widgets@v9', 'paint']],
    [1, ['refresh', 'acme/nothing']],
    [1, ['remove', 'acme/nothing']],
    [1, ['jobs', '999999']],
  ])('fails with exit code %i and one sentence: %j', async (expected, words) => {
    const { code, out, err } = await carrel(...words)
    expect({ code, out }).toEqual({ code: expected, out: '' })
    expect(err).toMatch(/^carrel: [^\n]+[.)?]\n$/)
  })
})

describe('the server of a command', () => {
  /** Starts a command that waits for a job whose host does not respond. */
  async function waitForSlow() {
    app.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
    const before = app.git.requests.length
    const child = startCarrel(['add', `${app.git.url}/acme/slow`, '--force', '--wait'], { dataDir: app.dataDir })
    const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
    await until(() => app.git.requests.length > before + 1)
    return { child, ended }
  }

  test('continues a job when the waiting command is interrupted', async () => {
    const { child, ended } = await waitForSlow()
    child.kill('SIGINT')
    const [[code], out, err] = await ended
    const id = newestJob()
    expect({ code, out }).toEqual({ code: 130, out: '' })
    expect(err).toContain(`carrel: Job ${id} continues at the server. Watch with: npm run -s carrel -- jobs ${id} --wait\n`)
    expect(app.app.jobs.get(id)?.state).toBe('parsing')
    await app.app.worker.cancel(id)
  })

  test('ends a waiting command with one sentence when it stops, and the next command opens the install itself', async () => {
    const own = await testInstall()
    await own.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nSlow words.\n' } })
    own.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
    const child = startCarrel(['add', `${own.git.url}/acme/slow`, '--wait'], { dataDir: own.dataDir })
    const ended = Promise.all([once(child, 'exit'), text(child.stderr)])
    await until(() => own.git.requests.length > 1)
    await own.stop()
    const [[code], err] = await ended
    expect(code).toBe(1)
    expect(err).toMatch(new RegExp(`carrel: The server at ${own.url} does not respond\\. .*\n$`))
    expect((await runCarrel(['jobs'], { dataDir: own.dataDir })).out).toMatch(/^1\t\/acme\/slow\tparse\tqueued\t/)
    await own.close()
  })

  test('is reached without the proxy of the environment, which would see the key', async () => {
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' }
    expect(await runCarrelProcess(['list'], { dataDir: app.dataDir, env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('/acme/widgets\t'),
    })
  })

  test('is named if it has another version, and gets no request', async () => {
    const facts = readFileSync(serverFile(), 'utf8')
    writeFileSync(serverFile(), facts.replace(/"version":"[^"]+"/, '"version":"9.8.7"'))
    const { code, err } = await carrel('remove', 'acme/widgets')
    writeFileSync(serverFile(), facts)
    expect(code).toBe(1)
    expect(err).toMatch(/^carrel: The running server \(process \d+\) is version 9\.8\.7, but this command is version .*\n$/)
  })

  test('is found by a file that only its user can read, whose token is an admin key in the Authorization header only', async () => {
    expect((statSync(serverFile()).mode & 0o777).toString(8)).toBe('600')
    const { url, pid, token } = JSON.parse(readFileSync(serverFile(), 'utf8'))
    expect([url, pid]).toEqual([app.url, process.pid])
    const status = async (headers: Record<string, string>) => (await app.ask('/api/users', { headers })).status
    expect(await status({ authorization: `Bearer ${token}` })).toBe(200)
    expect(await status({ authorization: `Bearer ${token}x` })).toBe(401)
    expect(await status({ 'x-api-key': token })).toBe(401)
    expect(JSON.stringify(app.app.keys.list())).not.toContain('command line')
    expect(app.log.text()).not.toContain(token)
  })

  test('has another token in each run, and deletes the file when it stops', async () => {
    const own = await testInstall()
    const path = join(own.dataDir, 'server.json')
    const { token } = JSON.parse(readFileSync(path, 'utf8'))
    await own.stop()
    expect(() => statSync(path)).toThrow('ENOENT')
    const again = await testInstall({ reopen: own })
    expect(JSON.parse(readFileSync(path, 'utf8')).token).not.toBe(token)
    await again.close()
  })
})
