import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultGitHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { openRemote, probeGit } from '../../../../shared/reading/git/probe-git.ts'
import { refusalError } from '../../../../shared/reading/git/remote.ts'
import { parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'
import { failure } from '../../../fixtures/failure.ts'
import { addressOn, caFile, startSecureGitServer } from '../../../fixtures/git-hosts.ts'
import { git as runGit } from '../../../fixtures/git-repository.ts'
import { type GitServer, startGitServer } from '../../../fixtures/git-server.ts'

let git: GitServer
let commit: string

beforeAll(async () => {
  git = await startGitServer()
  commit = await git.create('owner/repo', { files: { 'README.md': '# Hello' }, branch: 'trunk', tags: ['v1', 'release/2'] })
  await git.create('owner/secret', { files: { 'README.md': '# Secret' }, private: 'x-access-token:t0ken' })
})
afterAll(() => git.close())

const addressOf = (repo: string, server = git) => addressOn(server, repo)

const options = (given: { token?: string; caFile?: string; timeMs?: number } = {}) => ({
  env: {},
  timeMs: 10_000,
  signal: new AbortController().signal,
  ...given,
})

describe('the probe of a repository', () => {
  test('returns its default branch, branches, tags and their commits', async () => {
    const remote = await openRemote(addressOf('owner/repo'), options())
    expect(remote).toMatchObject({ isPublic: true, moved: false, defaultRef: 'refs/heads/trunk' })
    expect([...remote.refs]).toEqual([
      ['refs/heads/trunk', commit],
      ['refs/tags/release/2', commit],
      ['refs/tags/v1', commit],
    ])
  })

  test('reads servers that support only the first protocols', async () => {
    await git.create('owner/old', { files: { 'README.md': '# Old' }, tags: ['v1'] })
    const head = await runGit(git.folder('owner/old'), ['rev-parse', 'main'])
    git.misbehave('owner/old', { kind: 'protocol 0' })
    const remote = await openRemote(addressOf('owner/old'), options())
    expect(remote.defaultRef).toBe('refs/heads/main')
    expect([...remote.refs.values()]).toEqual([head, head])
  })

  test('returns no pull requests and other refs of the host', async () => {
    await runGit(git.folder('owner/repo'), ['update-ref', 'refs/pull/1/head', commit])
    const { refs } = await openRemote(addressOf('owner/repo'), options())
    expect([...refs.keys()]).not.toContain('refs/pull/1/head')
  })
})

describe('a token', () => {
  test('is not sent to a repository that responds without one', async () => {
    git.requests.length = 0
    await openRemote(addressOf('owner/repo'), options({ token: 't0ken' }))
    expect(git.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })

  test('opens a private repository', async () => {
    expect(await openRemote(addressOf('owner/secret'), options({ token: 't0ken' }))).toMatchObject({ isPublic: false })
  })

  test.each([
    ['owner/secret', undefined, 'token_missing'],
    ['owner/secret', 'wrong', 'token_refused'],
    ['owner/none', undefined, 'token_missing'],
    ['owner/none', 't0ken', 'not_found'],
  ])('is needed for %s with token %s: %s', async (repo, token, refused) => {
    expect(await probeGit(addressOf(repo), options({ token }))).toEqual({ refused })
  })

  test('is reported with its setting if it is missing, rejected or useless', () => {
    const github = parseRepoUrl('https://github.com/owner/repo', defaultGitHosts)
    const gitlab = parseRepoUrl('https://gitlab.com/owner/repo', defaultGitHosts)
    expect([
      refusalError(github, 'token_missing').message,
      refusalError(gitlab, 'token_refused').message,
      refusalError(github, 'not_found').message,
    ]).toMatchInlineSnapshot(`
      [
        "https://github.com/owner/repo does not exist or is private; to read a private repository set github.token.",
        "https://gitlab.com/owner/repo is not public, and its host refused the token in gitlab.token.",
        "https://github.com/owner/repo does not exist, or the token in github.token may not read it.",
      ]
    `)
  })

  test('is sent to GitLab as the user oauth2', async () => {
    await git.create('group/sub/project', { files: { 'a.md': 'a' }, private: 'oauth2:glpat' })
    const address = parseRepoUrl(`${git.url}/group/sub/project`, { ...defaultGitHosts, gitlab: { baseUrl: git.url } })
    expect(await openRemote(address, options({ token: 'glpat' }))).toMatchObject({ isPublic: false })
  })
})

describe('a redirect', () => {
  test('is followed once within the same host, and reported', async () => {
    await git.create('owner/former', { files: {} })
    git.misbehave('owner/former', { kind: 'redirect', to: `${git.url}/owner/repo` })
    const remote = await openRemote(addressOf('owner/former'), options())
    expect(remote).toMatchObject({
      moved: true,
      address: { webUrl: `${git.url}/owner/repo`, id: { owner: 'owner', repo: 'repo' } },
    })
    expect(remote.refs.get('refs/heads/trunk')).toBe(commit)
  })

  test('is rejected if it is the second one', async () => {
    await git.create('owner/twice', { files: {} })
    git.misbehave('owner/twice', { kind: 'redirect', to: `${git.url}/owner/twice` })
    expect(await failure(openRemote(addressOf('owner/twice'), options()))).toMatchObject({
      code: 'validation_error',
      message: `${git.url}/owner/twice redirects more than once, which is not followed. Send the repository's own address.`,
    })
  })

  test('is rejected if it leads to another host, and that host receives no request', async () => {
    const other = await startGitServer()
    await other.create('owner/repo', { files: { 'a.md': 'a' } })
    await git.create('owner/away', { files: {} })
    git.misbehave('owner/away', { kind: 'redirect', to: `${other.url}/owner/repo` })
    expect(await failure(openRemote(addressOf('owner/away'), options({ token: 't0ken' })))).toMatchObject({
      code: 'validation_error',
      message: `${git.url}/owner/away redirects to ${other.url}, which is not followed. Send the repository's own address.`,
    })
    expect(other.requests).toEqual([])
    await other.close()
  })

  test.each([
    ['file:///etc/passwd?token=swordfish', 'an address that begins with file:'],
    ['javascript:swordfish', 'an address that begins with javascript:'],
    ['https://me:swordfish@evil.example/swordfish?token=swordfish', 'https://evil.example'],
    ['http://[swordfish', 'an address that cannot be read'],
  ])('is rejected with its redacted target: %s', async (to, where) => {
    git.misbehave('owner/repo', { kind: 'redirect', to })
    const { code, message } = await failure(openRemote(addressOf('owner/repo'), options()))
    git.misbehave('owner/repo')
    expect([code, message]).toEqual([
      'validation_error',
      `${git.url}/owner/repo redirects to ${where}, which is not followed. Send the repository's own address.`,
    ])
  })

  test('is treated as a rejection if it leads to the sign-in page of the same host', async () => {
    await git.create('owner/internal', { files: {} })
    git.misbehave('owner/internal', { kind: 'redirect', to: `${git.url}/users/-/sign_in?x=` })
    expect(await probeGit(addressOf('owner/internal'), options())).toEqual({ refused: 'token_missing' })
  })
})

describe('a failing host', () => {
  test.each([
    [500, 'limited'],
    [503, 'limited'],
    [429, 'limited'],
    [400, 'never'],
  ])('causes with status %i an error whose retry is %s', async (status, retry) => {
    git.misbehave('owner/repo', { kind: 'status', status })
    expect(await failure(openRemote(addressOf('owner/repo'), options()))).toMatchObject({ code: 'provider_unavailable', retry })
    git.misbehave('owner/repo')
  })

  test('causes a transient error if it cuts the connection', async () => {
    git.misbehave('owner/repo', { kind: 'reset' })
    expect(await failure(openRemote(addressOf('owner/repo'), options()))).toMatchObject({
      message: `The host ${new URL(git.url).host} cannot be reached (ECONNRESET).`,
      retry: 'limited',
    })
    git.misbehave('owner/repo')
  })

  test('causes a transient error if it is down', async () => {
    const gone = await startGitServer()
    await gone.close()
    expect(await failure(openRemote(addressOf('owner/repo', gone), options()))).toMatchObject({ retry: 'limited' })
  })

  test('causes a timeout if it does not respond', async () => {
    git.misbehave('owner/repo', { kind: 'stall', at: 'refs' })
    expect(await failure(openRemote(addressOf('owner/repo'), options({ timeMs: 100 })))).toMatchObject({
      code: 'timeout',
      message: `The host of ${git.url}/owner/repo did not respond within 0.1 s.`,
      retry: 'limited',
    })
    git.misbehave('owner/repo')
  })

  test('is left as soon as the caller cancels', async () => {
    git.misbehave('owner/repo', { kind: 'stall', at: 'refs' })
    const cancel = new AbortController()
    const probing = openRemote(addressOf('owner/repo'), { ...options(), signal: cancel.signal })
    cancel.abort(new Error('cancelled'))
    await expect(probing).rejects.toThrow('cancelled')
    git.misbehave('owner/repo')
  })

  test.each(['info', 'list'] as const)('is rejected if it lists more than can be read (%s)', async (at) => {
    git.misbehave('owner/repo', { kind: 'answer', at, body: Buffer.alloc(17 * 2 ** 20, 'fff0') })
    expect(await failure(openRemote(addressOf('owner/repo'), options()))).toMatchObject({
      code: 'library_too_large',
      message: 'The repository lists more branches and tags than can be read (16 MB).',
      retry: 'never',
    })
    git.misbehave('owner/repo')
  })

  test.each([
    ['info', '001e# service=git-upload-pack\n0000', 'your account is suspended\n', 'your account is suspended'],
    ['info', '', 'no\n', 'no'],
    ['list', '', 'access denied by policy', 'access denied by policy'],
    ['list', '', `\x1b[31mred\x07\n\u202e${'x'.repeat(300)}`, `[31mred ${'x'.repeat(192)}`],
  ] as const)(
    'is quoted in one printable line if it rejects the request in the git protocol (%s)',
    async (at, before, said, quoted) => {
      const refusal = `ERR ${said}`
      const length = (Buffer.byteLength(refusal) + 4).toString(16).padStart(4, '0')
      git.misbehave('owner/repo', { kind: 'answer', at, body: `${before}${length}${refusal}` })
      expect(await failure(openRemote(addressOf('owner/repo'), options()))).toMatchObject({
        code: 'provider_unavailable',
        message: `The host refused to show the repository: "${quoted}".`,
        retry: 'never',
      })
      git.misbehave('owner/repo')
    },
  )

  test.each([
    [
      403,
      'access_denied',
      'never',
      'does not exist or is private; to read a private repository set github.token. The host says: "No \\o/".',
    ],
    [410, 'access_denied', 'never', 'The host says: "No \\o/".'],
    [429, 'provider_unavailable', 'limited', 'responded with status 429. The host says: "No \\o/".'],
    [451, 'provider_unavailable', 'never', 'responded with status 451. The host says: "No \\o/".'],
    [503, 'provider_unavailable', 'limited', 'responded with status 503. The host says: "No \\o/".'],
  ] as const)('is quoted if it responds with status %i and plain text', async (status, code, retry, message) => {
    git.misbehave('owner/repo', { kind: 'status', status, words: '\x1b\nNo\r\n\\o/.\n' })
    expect(await failure(openRemote(addressOf('owner/repo'), options()))).toMatchObject({
      code,
      retry,
      message: expect.stringContaining(message),
    })
    git.misbehave('owner/repo')
  })

  test('is quoted without the token if it repeats it', async () => {
    const basic = Buffer.from('x-access-token:t0ken-value').toString('base64')
    const messages: string[] = []
    const refusal = `ERR t0ken-value ${basic}`
    const body = `${(refusal.length + 4).toString(16).padStart(4, '0')}${refusal}`
    await git.create('owner/echo', { files: { 'a.md': 'a' }, private: 'x-access-token:t0ken-value' })
    for (const how of [
      { kind: 'status', status: 451, words: `no ${basic} t0ken-value` },
      { kind: 'answer', at: 'info', body },
      { kind: 'answer', at: 'list', body },
    ] as const) {
      git.misbehave('owner/echo', how)
      messages.push((await failure(openRemote(addressOf('owner/echo'), options({ token: 't0ken-value' })))).message)
    }
    expect(messages).toEqual([
      expect.stringContaining('The host says: "no *** ***".'),
      'The host refused to show the repository: "*** ***".',
      'The host refused to show the repository: "*** ***".',
    ])
  })

  test('is rejected without a retry if it responds with a web page', async () => {
    git.misbehave('owner/repo', { kind: 'status', status: 200 })
    expect(await failure(openRemote(addressOf('owner/repo'), options()))).toMatchObject({
      code: 'validation_error',
      retry: 'never',
    })
    git.misbehave('owner/repo')
  })
})

describe('a certificate of a private authority', () => {
  test('is trusted if its file is set, else rejected with the name of the setting', async () => {
    const secure = await startSecureGitServer()
    await secure.create('owner/repo', { files: { 'README.md': '# Hello' } })
    expect(await openRemote(addressOf('owner/repo', secure), options({ caFile }))).toMatchObject({ isPublic: true })
    expect(await failure(openRemote(addressOf('owner/repo', secure), options()))).toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      retry: 'never',
    })
    await secure.close()
  })
})
