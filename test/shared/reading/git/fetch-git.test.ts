import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type FetchLimits, type FetchOptions, fetchGit } from '../../../../shared/reading/git/fetch-git.ts'
import { defaultGitHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { openRemote } from '../../../../shared/reading/git/probe-git.ts'
import { parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'
import { startConnectProxy } from '../../../fixtures/connect-proxy.ts'
import { failure } from '../../../fixtures/failure.ts'
import { addressOn, caFile, startSecureGitServer } from '../../../fixtures/git-hosts.ts'
import { git as runGit } from '../../../fixtures/git-repository.ts'
import { type GitServer, startGitServer } from '../../../fixtures/git-server.ts'
import { recordingServer } from '../../../fixtures/recording-server.ts'

const megabyte = 2 ** 20
const zeros = Buffer.alloc(2 * megabyte)
const limits: FetchLimits = { cloneBytes: 50 * megabyte, files: 1_000, fileBytes: megabyte, timeMs: 100_000, idleMs: 60_000 }

const tlsFile = (name: string) => new URL(`../../../fixtures/tls/${name}`, import.meta.url).pathname

let git: GitServer
let into: string
let recordings: string

beforeAll(async () => {
  git = await startGitServer()
  await git.create('owner/repo', { files: { 'README.md': '# One', 'docs/guide.md': 'Guide' }, tags: ['v1'] })
  await git.commit('owner/repo', { files: { 'README.md': '# Two' } })
  await git.commit('owner/repo', { files: { 'README.md': '# Next' }, branch: 'release/next' })
  await git.create('owner/secret', { files: { 'README.md': '# Secret' }, private: '*:t0ken-value' })
  await git.create('owner/large', {
    files: { 'README.md': '# Large', 'large.bin': randomBytes(4 * megabyte) },
    private: '*:t0ken-value',
  })
})
afterAll(() => git.close())
beforeEach(async () => {
  into = await mkdtemp(join(tmpdir(), 'carrel-fetch-'))
  recordings = await mkdtemp(join(tmpdir(), 'carrel-recording-git-'))
})
afterEach(async () => {
  for (const repo of ['owner/repo', 'owner/large']) git.misbehave(repo)
  for (const dir of [into, recordings]) await rm(dir, { recursive: true, force: true })
})

type Given = Partial<Omit<FetchOptions, 'limits'>> & { limits?: Partial<FetchLimits> }

const open = (repo: string, token = 't0ken-value', server = git) =>
  openRemote(addressOn(server, repo), {
    env: {},
    token,
    timeMs: 100_000,
    signal: new AbortController().signal,
    caFile: server === git ? undefined : caFile,
  })

const fetchRepo = async (repo: string, given: Given = {}) =>
  fetchGit(await open(repo), {
    env: { PATH: process.env.PATH },
    token: 't0ken-value',
    into,
    signal: new AbortController().signal,
    ...given,
    limits: { ...limits, ...given.limits },
  })

const readme = (dir: string): Promise<string> => readFile(join(dir, 'README.md'), 'utf8')

describe('a fetch of a repository', () => {
  test('returns the files of its default branch, nothing of git, and the commit', async () => {
    const { dir, commit, ref, skipped } = await fetchRepo('owner/repo')
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(['README.md', 'docs', 'docs/guide.md'])
    expect([await readme(dir), ref, skipped]).toEqual(['# Two', 'main', []])
    expect(commit).toBe(await runGit(git.folder('owner/repo'), ['rev-parse', 'main']))
    expect(readdirSync(into)).toEqual(['tree'])
  })

  test.each([
    ['v1', '# One', 'v1'],
    ['release/next', '# Next', 'release/next'],
    ['release~next', '# Next', 'release/next'],
  ])('returns the branch or tag %s', async (ref, content, name) => {
    const fetched = await fetchRepo('owner/repo', { ref })
    expect([await readme(fetched.dir), fetched.ref]).toEqual([content, name])
  })

  test('omits the history, however large', async () => {
    await git.create('owner/long', { files: { 'README.md': '# Long', 'former.bin': randomBytes(2 * megabyte) } })
    await git.commit('owner/long', { files: { 'former.bin': null } })
    const { dir } = await fetchRepo('owner/long', { limits: { cloneBytes: megabyte } })
    expect(readdirSync(dir)).toEqual(['README.md'])
  })

  test('reports its progress', async () => {
    const seen: string[] = []
    await fetchRepo('owner/repo', { onProgress: ({ stage, percent }) => seen.push(`${stage} ${percent}`) })
    expect(seen).toContain('Receiving objects 100')
  })

  test.each([
    ['owner/empty', undefined, 'no_snippets_found', 'The repository is empty: it has no commit yet.'],
    ['owner/repo', 'v9', 'tag_not_found', 'no branch or tag "v9". Did you mean v1? It has branches main, release/next; tags v1.'],
    ['owner/repo', '--upload-pack=touch x', 'tag_not_found', 'no branch or tag'],
  ])('fails for %s at %s with %s', async (repo, ref, code, message) => {
    if (repo === 'owner/empty') await git.create(repo, { files: {} })
    expect(await failure(fetchRepo(repo, { ref }))).toMatchObject({
      code,
      message: expect.stringContaining(message),
      retry: 'never',
    })
  })

  test('reports a tag without a commit', async () => {
    await git.create('owner/odd', { files: { 'a.md': 'a' } })
    const tree = await runGit(git.folder('owner/odd'), ['rev-parse', 'main^{tree}'])
    await runGit(git.folder('owner/odd'), ['update-ref', 'refs/tags/tree', tree])
    expect(await failure(fetchRepo('owner/odd', { ref: 'tree' }))).toMatchObject({ code: 'tag_not_found' })
  })

  test('fails as transient if its branch was deleted meanwhile', async () => {
    await git.create('owner/moving', { files: { 'a.md': 'a' } })
    const remote = await open('owner/moving')
    await runGit(git.folder('owner/moving'), ['branch', '-m', 'main', 'trunk'])
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    expect(await failure(fetchGit(remote, options))).toMatchObject({ code: 'tag_not_found', retry: 'limited' })
  })

  test('works over https with a certificate of a private authority', async () => {
    const secure = await startSecureGitServer()
    await secure.create('owner/repo', { files: { 'README.md': '# Secure' } })
    const remote = await open('owner/repo', '', secure)
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    expect(await readme((await fetchGit(remote, { ...options, caFile })).dir)).toBe('# Secure')
    expect(await failure(fetchGit(remote, { ...options, into: recordings }))).toMatchObject({
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      retry: 'never',
    })
    await secure.close()
  })
})

describe('a host that serves parts of a repository from other addresses', () => {
  /** Has the host send a file of `repo` as an address on a server, which records what reaches it. */
  async function withRecorder(server: GitServer, repo: string, addressOf: (url: string) => string) {
    const recorder = await recordingServer((_, response) => response.writeHead(404).end())
    onTestFinished(() => recorder.close())
    await server.create(repo, { files: { 'README.md': '# Here', 'elsewhere.md': 'Elsewhere' } })
    const folder = server.folder(repo)
    const blob = await runGit(folder, ['rev-parse', 'main:elsewhere.md'])
    const uri = `${blob} ${'a'.repeat(40)} ${addressOf(recorder.url)}/part.pack`
    await runGit(folder, ['config', 'uploadpack.blobPackfileUri', uri])
    await runGit(folder, ['config', 'uploadpack.allowSidebandAll', 'true'])
    server.misbehave(repo, { kind: 'packfile uris' })
    return recorder
  }
  const refusal = {
    message: expect.stringMatching(
      /^The host of \S+ sends parts of the repository from another address, which is not followed\.$/,
    ),
    retry: 'never',
  }

  test('causes git to connect to none of them', async () => {
    const recorder = await withRecorder(git, 'owner/parts', (url) => url)
    const error = await failure(fetchRepo('owner/parts'))
    expect(recorder.requests).toEqual([])
    expect(recorder.connections).toBe(0)
    expect(error).toMatchObject(refusal)
  })

  test('causes git to request no other path of the host', async () => {
    await withRecorder(git, 'owner/inside', () => `${git.url}/owner`)
    const error = await failure(fetchRepo('owner/inside'))
    expect(git.requests.filter(({ path }) => path.includes('part.pack'))).toEqual([])
    expect(error).toMatchObject(refusal)
  })

  test('causes git to connect to none of them through the proxy or around it', async () => {
    const tls = { key: readFileSync(tlsFile('models.key'), 'utf8'), cert: readFileSync(tlsFile('models.pem'), 'utf8') }
    const server = await startGitServer({ tls })
    const proxy = await startConnectProxy(server.url)
    onTestFinished(async () => void (await Promise.all([server.close(), proxy.close()])))
    const direct = await withRecorder(server, 'owner/direct', (url) => url.replace('http:', 'https:'))
    await withRecorder(server, 'owner/proxied', () => 'https://internal.example')
    const access = {
      env: { PATH: process.env.PATH, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
      caFile: tlsFile('models-ca.pem'),
      signal: new AbortController().signal,
    }
    const hosts = { ...defaultGitHosts, github: { baseUrl: 'https://models.example' } }
    const errors: unknown[] = []
    for (const repo of ['owner/direct', 'owner/proxied']) {
      const remote = await openRemote(parseRepoUrl(`https://models.example/${repo}`, hosts), { ...access, timeMs: 60_000 })
      const folder = await mkdtemp(join(into, 'clone-'))
      errors.push(await failure(fetchGit(remote, { ...access, into: folder, limits })))
    }
    expect([direct.connections, new Set(proxy.tunnels)]).toEqual([0, new Set(['models.example:443'])])
    expect(errors).toEqual([expect.objectContaining(refusal), expect.objectContaining(refusal)])
  })
})

describe('the token', () => {
  test('opens a private repository and does not appear in arguments, files and progress', async () => {
    const log = await recordingGit(recordings)
    const said: string[] = []
    const { dir } = await fetchRepo('owner/secret', {
      env: { PATH: `${log.folder}:${process.env.PATH}` },
      onProgress: (progress) => said.push(progress.stage),
    })
    expect(await readme(dir)).toBe('# Secret')
    const secrets = ['t0ken-value', Buffer.from('x-access-token:t0ken-value').toString('base64')]
    const args = await readFile(log.args, 'utf8')
    const leaks = [args, said.join(), ...filesBelow(into)].filter((text) => secrets.some((secret) => text.includes(secret)))
    expect(args).toContain(`${git.url}/owner/secret.git`)
    expect(leaks).toEqual([])
  })

  test('is bound to the address of its repository, and only the fetch has it', async () => {
    const log = await recordingGit(recordings)
    await fetchRepo('owner/secret', { env: { PATH: `${log.folder}:${process.env.PATH}` } })
    const environments = (await readFile(log.env, 'utf8')).split('called as ').slice(1)
    const told = environments.filter((environment) => environment.includes('Authorization: '))
    expect(environments.map((environment) => environment.split('\n')[0])).toEqual([
      'fetch',
      'rev-list',
      'ls-tree',
      'update-index',
      'checkout-index',
    ])
    expect(told).toEqual([expect.stringMatching(/^fetch\n/)])
    expect(told[0]).toContain(`=http.${git.url}/owner/secret.git.extraHeader`)
  })

  test('is not sent to git for a public repository', async () => {
    git.requests.length = 0
    await fetchRepo('owner/repo')
    expect(git.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })

  test('is redacted in the error if the host rejects it during the fetch', async () => {
    const remote = await open('owner/secret')
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal, token: 'wrong-t0ken' }
    const error = await failure(fetchGit(remote, options))
    expect(error).toMatchObject({ code: 'access_denied', retry: 'never' })
    expect(`${error.message} ${error.cause}`).not.toContain('wrong-t0ken')
    expect(error.message).toContain('github.token')
  })
})

describe('an isolated fetch', () => {
  test('uses no configuration, variable, credential or hook of the user', async () => {
    const home = join(into, 'home')
    const marker = join(into, 'marker')
    await mkdir(join(home, 'template', 'hooks'), { recursive: true })
    const hook = join(home, 'template', 'hooks', 'reference-transaction')
    await writeFile(hook, `#!/bin/sh\ntouch ${marker}\n`)
    await chmod(hook, 0o755)
    await writeFile(
      join(home, '.gitconfig'),
      `[init]\n\ttemplateDir = ${home}/template\n[core]\n\thooksPath = ${home}/template/hooks\n`,
    )
    await writeFile(join(home, '.netrc'), 'machine 127.0.0.1 login thief password thief\n')
    await mkdir(join(into, 'work'))
    git.requests.length = 0
    const env = { PATH: process.env.PATH, HOME: home, GIT_TEMPLATE_DIR: join(home, 'template'), GIT_TRACE: marker, GIT_SSH: 'x' }
    const { dir } = await fetchRepo('owner/repo', { env, into: join(into, 'work') })
    expect(await readme(dir)).toBe('# Two')
    expect(existsSync(marker)).toBe(false)
    expect(git.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })

  test('reads no submodule, filter or other encoding, and keeps links as links', async () => {
    await git.create('owner/rich', {
      files: {
        '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${git.url}/owner/secret.git\n`,
        sub: { submodule: 'a'.repeat(40) },
        '.gitattributes': '*.md filter=lfs text eol=crlf working-tree-encoding=UTF-16\n',
        'a.md': 'one\ntwo\n',
        'large.md': 'version https://git-lfs.github.com/spec/v1\n',
        outside: { link: '/etc/passwd' },
      },
    })
    git.requests.length = 0
    const { dir } = await fetchRepo('owner/rich')
    expect(readdirSync(dir).sort()).toEqual(['.gitmodules', 'a.md', 'large.md', 'outside'])
    expect(await readFile(join(dir, 'a.md'), 'utf8')).toBe('one\ntwo\n')
    expect((await lstat(join(dir, 'outside'))).isSymbolicLink()).toBe(true)
    expect(git.requests.filter(({ path }) => !path.startsWith('/owner/rich.git'))).toEqual([])
  })

  test.each([
    ['file', (folder: string) => `file://${folder}`],
    ['ext', () => 'ext::sh -c touch%20marker'],
    ['http', () => 'http://git.example.com/owner/repo.git'],
  ])('allows no protocol but https: git itself rejects %s', async (protocol, cloneUrl) => {
    const remote = await open('owner/repo')
    const address = { ...remote.address, baseUrl: 'https://git.example.com', cloneUrl: cloneUrl(git.folder('owner/repo')) }
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    const { cause } = await failure(fetchGit({ ...remote, address }, options))
    expect(String(cause)).toContain(`transport '${protocol}' not allowed`)
  })

  test('reports a missing git', async () => {
    expect(await failure(fetchRepo('owner/repo', { env: { PATH: into } }))).toMatchObject({
      code: 'not_configured',
      message: 'git cannot be run on this server. Install it, or check the PATH.',
    })
  })
})

describe('a hostile repository', () => {
  test('loses only the files whose names must not be written', async () => {
    const folder = await makeRepository('owner/names', async (blob, tree) => {
      const inner = await tree([`100644 blob ${blob}\tconfig`])
      const evil = ['.git', '.GIT', 'git~1', '.g\u200cit', '..'].map((name) => `040000 tree ${inner}\t${name}`)
      const odd = [
        `100644 blob ${blob}\tnew\\nline.md`,
        `100644 blob ${blob}\t.github`,
        `100644 blob ${blob}\t${'n'.repeat(300)}.md`,
      ]
      return tree([...evil, ...odd, `100644 blob ${blob}\tREADME.md`].map((entry) => entry.replace('\\n', '\n')))
    })
    expect(folder).toBeTruthy()
    const { dir, skipped } = await fetchRepo('owner/names')
    expect(readdirSync(dir).sort()).toEqual(['.github', 'README.md', 'new\nline.md'])
    expect(
      skipped.map(({ path, reason }) => `${path.slice(0, 12).replace(/[^ -~]/g, '?')}: ${reason}`).sort(),
    ).toMatchInlineSnapshot(`
      [
        "../config: a name that git does not write",
        ".GIT/config: a name that git does not write",
        ".g?it/config: a name that git does not write",
        ".git/config: a name that git does not write",
        "git~1/config: a name that git does not write",
        "nnnnnnnnnnnn: a name longer than 255 bytes",
      ]
    `)
    expect(readdirSync(into)).toEqual(['tree'])
  })

  test('keeps names that are not UTF-8 byte by byte', async () => {
    await makeRepository('owner/bytes', (blob, tree) => tree([Buffer.from(`100644 blob ${blob}\tb\xe9.md`, 'latin1')]))
    const { dir } = await fetchRepo('owner/bytes')
    expect(readdirSync(dir, { encoding: 'buffer' })).toEqual([Buffer.from('b\xe9.md', 'latin1')])
  })

  const tooMany = 'The repository holds more than 1000 files.'
  const tooLong = 'The paths of the repository take more than 64 MB.'
  test.each([
    ['files', (blob: string) => [`100644 blob ${blob}\tf`], tooMany],
    ['submodules', () => [`160000 commit ${'1'.repeat(40)}\ts`], tooMany],
    ['attributes', (blob: string) => [`100644 blob ${blob}\t.gitattributes`], tooMany],
    ['empty folders', () => [], tooLong],
  ])('is rejected before it is unpacked if its few kilobytes name a billion %s', async (what, leaf, message) => {
    await makeRepository(`owner/bomb-${what.slice(0, 5)}`, async (blob, tree) => {
      let id = await tree(leaf(blob))
      for (let level = 0; level < 9; level += 1) {
        id = await tree(Array.from({ length: 10 }, (_, n) => `040000 tree ${id}\t${'d'.repeat(40)}${n}`))
      }
      return id
    })
    expect(await failure(fetchRepo(`owner/bomb-${what.slice(0, 5)}`))).toMatchObject({ code: 'library_too_large', message })
    expect(readdirSync(join(into, 'tree'))).toEqual([])
  })

  test('is rejected if its paths would fill the memory', async () => {
    const long = (letter: string, n: number): string => `${letter.repeat(240)}${n}`
    await makeRepository('owner/paths', async (blob, tree) => {
      let id = await tree(Array.from({ length: 200 }, (_, n) => `100644 blob ${blob}\t${long('f', n)}`))
      id = await tree(Array.from({ length: 200 }, (_, n) => `040000 tree ${id}\t${long('d', n)}`))
      for (let level = 0; level < 5; level += 1) id = await tree([`040000 tree ${id}\t${long('p', level)}`])
      return id
    })
    expect(await failure(fetchRepo('owner/paths', { limits: { files: 1_000_000 } }))).toMatchObject({
      code: 'library_too_large',
      message: 'The paths of the repository take more than 64 MB.',
    })
  })

  test('is rejected before it is unpacked if its few kilobytes contain one enormous object', async () => {
    const remote = await open('owner/repo')
    const commit = await runGit(git.folder('owner/repo'), ['rev-parse', 'main'])
    git.misbehave('owner/repo', { kind: 'answer', at: 'objects', body: packAnswer(bombPack(700 * megabyte), commit) })
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    expect(await failure(fetchGit(remote, options))).toMatchObject({
      code: 'library_too_large',
      message: `${git.url}/owner/repo holds an object that unpacks to more than 600 MB.`,
      retry: 'never',
    })
  })

  test('loses the levels that are too deep if it is nested 1,500 levels deep', async () => {
    await git.create('owner/deep', { files: { 'README.md': '# Deep', [`${'d/'.repeat(1_500)}x.md`]: 'x' } })
    const { dir, skipped } = await fetchRepo('owner/deep')
    expect(readdirSync(dir)).toEqual(['README.md'])
    expect(skipped).toEqual([{ path: 'd/'.repeat(150), reason: 'a path longer than 2000 bytes' }])
  })

  test('is rejected while it is unpacked if it exceeds the limit', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`zeros${n}.txt`, Buffer.alloc(megabyte)]))
    await git.create('owner/zeros', { files })
    expect(await failure(fetchRepo('owner/zeros'))).toMatchObject({
      code: 'library_too_large',
      message: 'The repository unpacks to more than 50 MB.',
    })
  })

  test('loses only files above the size limit, and the documents among them are reported', async () => {
    await git.create('owner/oversized', { files: { 'README.md': '# Large', 'large.bin': zeros, 'docs/large.md': zeros } })
    const { dir, skipped } = await fetchRepo('owner/oversized')
    expect(readdirSync(dir)).toEqual(['README.md'])
    expect(skipped).toEqual([{ path: 'docs/large.md', reason: 'larger than 1 MB' }])
  })

  test('loses only the files that cannot be written, however many they are', async () => {
    const lines = Array.from(
      { length: 200 },
      (_, n) => `error: unable to create file docs/${n}/${'x'.repeat(60)}.md: Not a directory`,
    )
    const { skipped } = await fetchRepo('owner/repo', { env: { PATH: await failingCheckout(recordings, lines) } })
    expect(skipped).toHaveLength(200)
    expect(skipped[0]).toEqual({ path: `docs/0/${'x'.repeat(60)}.md`, reason: 'Not a directory' })
  })

  test('fails if files cannot be written and something else is broken too', async () => {
    const lines = ['error: unable to create file a.md: Not a directory', 'error: unable to read sha1 file of b.md (0123)']
    const error = await failure(fetchRepo('owner/repo', { env: { PATH: await failingCheckout(recordings, lines) } }))
    expect(String(error.cause)).toContain('unable to read sha1 file')
  })

  test('is rejected during the download if it exceeds the limit', async () => {
    // The whole would take a minute and more, and so a time-out.
    git.misbehave('owner/large', { kind: 'throttle', bytesPerSecond: megabyte / 4 })
    expect(await failure(fetchRepo('owner/large', { limits: { cloneBytes: megabyte / 2 } }))).toMatchObject({
      code: 'library_too_large',
      message: `${git.url}/owner/large is larger than 1 MB.`,
    })
  })
})

describe('a fetch with all of its processes', () => {
  test('ends when it is cancelled', async () => {
    git.misbehave('owner/large', { kind: 'throttle', bytesPerSecond: 1_000 })
    const cancel = new AbortController()
    const fetching = fetchRepo('owner/large', { signal: cancel.signal })
    fetching.catch(() => undefined)
    await vi.waitFor(() => expect(helpersRunning()).toBeGreaterThan(0), { timeout: 60_000 })
    cancel.abort(new Error('cancelled by its owner'))
    await expect(fetching).rejects.toThrow('cancelled by its owner')
    expect(helpersRunning()).toBe(0)
  })

  test('ends when the host does not respond', async () => {
    git.misbehave('owner/large', { kind: 'stall', at: 'pack' })
    expect(await failure(fetchRepo('owner/large', { limits: { idleMs: 300 } }))).toMatchObject({
      code: 'timeout',
      message: `Fetching ${git.url}/owner/large was stopped: no progress for 0.3 s.`,
      retry: 'limited',
    })
    expect(helpersRunning()).toBe(0)
  })

  test('ends when it takes too long, even with progress', async () => {
    git.misbehave('owner/large', { kind: 'throttle', bytesPerSecond: 100_000 })
    expect(await failure(fetchRepo('owner/large', { limits: { timeMs: 600 } }))).toMatchObject({
      code: 'timeout',
      message: `Fetching ${git.url}/owner/large was stopped: it took longer than 0.6 s.`,
      retry: 'never',
    })
    expect(helpersRunning()).toBe(0)
  })

  test('ends when its progress callback throws', async () => {
    const onProgress = () => {
      throw new Error('the job cannot be written')
    }
    await expect(fetchRepo('owner/repo', { onProgress })).rejects.toThrow('the job cannot be written')
  })

  test.each([
    ['in the git protocol', packet('ERR access denied'), 'The host refused to show the repository: "access denied".'],
    ['next to the pack', packedWords('\x02Repository is disabled.\n'), 'The host says: "Repository is disabled".'],
    ['as a fatal error', packedWords('\x03Repository is disabled.\n'), 'The host says: "Repository is disabled".'],
  ])('fails as permanent with the reason of the host %s', async (_, body, message) => {
    const remote = await open('owner/repo')
    git.misbehave('owner/repo', { kind: 'answer', at: 'objects', body })
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    expect(await failure(fetchGit(remote, options))).toMatchObject({
      message: expect.stringContaining(message),
      retry: 'never',
    })
  })

  test.each([403, 451])('fails as permanent if the host rejects the objects with status %i', async (status) => {
    const remote = await open('owner/repo')
    git.misbehave('owner/repo', { kind: 'status', status })
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    expect(await failure(fetchGit(remote, options))).toMatchObject({ retry: 'never' })
  })

  test.each(['status', 'reset'] as const)('fails as transient if the host fails during the download (%s)', async (kind) => {
    const remote = await open('owner/repo')
    git.misbehave('owner/repo', kind === 'status' ? { kind, status: 503 } : { kind })
    const options = { env: { PATH: process.env.PATH }, into, limits, signal: new AbortController().signal }
    const { host } = new URL(git.url)
    expect(await failure(fetchGit(remote, options))).toMatchObject({
      code: 'provider_unavailable',
      message:
        kind === 'status'
          ? `The host ${host} responded with status 503.`
          : `The connection to ${host} failed while ${git.url}/owner/repo was fetched.`,
      retry: 'limited',
    })
  })
})

/** A `git` on the PATH that writes down how it is called. */
async function recordingGit(folder: string): Promise<{ folder: string; args: string; env: string }> {
  const [args, env] = [join(folder, 'args'), join(folder, 'env')]
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> ${args}\necho "called as $1" >> ${env}\nenv >> ${env}\nPATH='${process.env.PATH}' exec git "$@"\n`
  await writeFile(join(folder, 'git'), script)
  await chmod(join(folder, 'git'), 0o755)
  return { folder, args, env }
}

/** A PATH whose git says these lines instead of writing files. */
async function failingCheckout(folder: string, lines: string[]): Promise<string> {
  await writeFile(join(folder, 'lines'), `${lines.join('\n')}\n`)
  const script = `#!/bin/sh\n[ "$1" = checkout-index ] && cat ${folder}/lines >&2 && exit 1\nPATH='${process.env.PATH}' exec git "$@"\n`
  await writeFile(join(folder, 'git'), script)
  await chmod(join(folder, 'git'), 0o755)
  return `${folder}:${process.env.PATH}`
}

function filesBelow(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
}

/** Processes of this machine that talk to the test's server. */
function helpersRunning(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${git.url}/`)
    } catch {
      return false
    }
  }).length
}

/** A repository whose tree git itself would not make; entries are lines of `git mktree`. */
async function makeRepository(
  repo: string,
  build: (blob: string, tree: (entries: (string | Buffer)[]) => Promise<string>) => Promise<string>,
): Promise<string> {
  await git.create(repo, { files: { 'a.md': 'text' } })
  const folder = git.folder(repo)
  const blob = await runGit(folder, ['hash-object', '-w', '--stdin'], 'text')
  const tree = (entries: (string | Buffer)[]) =>
    runGit(
      folder,
      ['mktree', '-z'],
      Buffer.concat(entries.map((entry) => Buffer.concat([Buffer.from(entry), Buffer.from('\0')]))),
    )
  const id = await build(blob, tree)
  const made = await runGit(folder, ['-c', 'user.name=x', '-c', 'user.email=x', 'commit-tree', '-m', 'x', id])
  await runGit(folder, ['update-ref', 'refs/heads/main', made])
  return folder
}

/** A pack whose second object is a delta that repeats the first, of a megabyte, up to `bytes`. */
function bombPack(bytes: number): Buffer {
  const base = Buffer.alloc(megabyte, 'a')
  const copies = bytes / megabyte
  const copyAll = Buffer.from([0b1100_0000, base.length >> 16])
  const delta = Buffer.concat([varint(base.length), varint(bytes), ...Array<Buffer>(copies).fill(copyAll)])
  const id = createHash('sha1').update(`blob ${base.length}\0`).update(base).digest()
  const objects = [objectHead(3, base.length), deflateSync(base), objectHead(7, delta.length), id, deflateSync(delta)]
  const body = Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x02', 'latin1'), ...objects])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

/** The number with seven bits a byte, lowest first, as packs write sizes. */
function varint(n: number): Buffer {
  return n < 128 ? Buffer.from([n]) : Buffer.concat([Buffer.from([(n & 127) | 128]), varint(n >> 7)])
}

function objectHead(type: number, size: number): Buffer {
  return Buffer.concat([Buffer.from([128 | (type << 4) | (size & 15)]), varint(size >> 4)])
}

function packet(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** A response to a fetch that has these words instead of a pack. */
const packedWords = (words: string): Buffer => Buffer.concat([packet('packfile\n'), packet(words), Buffer.from('0000')])

/** The response of a server of protocol 2 to a shallow fetch of a commit. */
function packAnswer(pack: Buffer, commit: string): Buffer {
  const band = packet(Buffer.concat([Buffer.from([1]), pack]))
  const shallow = [packet('shallow-info\n'), packet(`shallow ${commit}`), Buffer.from('0001')]
  return Buffer.concat([...shallow, packet('packfile\n'), band, Buffer.from('0000')])
}
