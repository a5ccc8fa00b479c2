import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { carrel, carrelProcess, hostedDir, startHosted } from '../fixtures/hosted-process.ts'
import { usageEvent } from '../fixtures/usage.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
  await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  await git.create('acme/empty', { files: { 'main.c': 'int main() {}' } })
})
afterAll(() => git.close())

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carrel-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** One command of each group runs in a separate process. */
const realCommands = new Set(['hosted teamspace', 'hosted add', 'hosted bundle', 'license issue'])

const servers = [
  ['while the server runs', true],
  ['without the server', false],
] as const

test('a hosted data directory accepts only the settings that the hosted half reads', async () => {
  const dataDir = hostedDir(git.url)
  await carrel(dataDir, 'hosted', 'teamspace', 'create', 'acme')
  const set = (name: string, value: string) => carrel(dataDir, 'settings', 'set', name, value)
  for (const [name, value] of [
    ['llm.provider', 'openai'],
    ['permissions.anonymousParse', 'true'],
  ] as const) {
    expect(await set(name, value)).toEqual({
      code: 1,
      stdout: '',
      stderr: `carrel: This data directory belongs to the hosted half, which does not use ${name}. It uses github.baseUrl, gitlab.baseUrl, git.hosts, github.token, gitlab.token.`,
    })
  }
  expect((await carrel(dataDir, 'settings', 'get', 'llm.provider')).stdout).toBe('null')
  expect((await set('gitlab.baseUrl', 'https://git.example.com')).code).toBe(0)
  expect((await set('llm.provider', 'null')).code).toBe(0)
})

describe.each(servers)('the command line %s', (_how, runs) => {
  test('manages teamspaces, keys, libraries, licenses, exports and bundles', async () => {
    const dataDir = hostedDir(git.url)
    const server = runs ? await startHosted(dataDir) : undefined
    const run = async (...args: string[]) => {
      const isReal = runs && realCommands.has(args.slice(0, 2).join(' '))
      const { stdout, stderr, code } = await (isReal ? carrelProcess : carrel)(dataDir, ...args)
      if (code !== 0) throw new Error(stderr)
      return stdout
    }
    expect(await run('hosted', 'teamspace', 'create', 'acme', '--plan', 'team')).toBe('')
    const key = await run('hosted', 'key', 'create', '--teamspace', 'acme')
    expect(key).toMatch(/^carrel_sk_\w{49}$/)
    expect(await run('hosted', 'add', `${git.url}/acme/widgets`)).toBe('/acme/widgets')
    await run('hosted', 'own', '/acme/widgets', '--teamspace', 'acme')
    await run('hosted', 'refresh', '/acme/widgets')
    const out = join(tempFolder(), 'out.zip')
    expect(await run('hosted', 'bundle', out, '/acme/widgets')).toBe(out)
    const zip = await JSZip.loadAsync(await readFile(out))
    const manifest = JSON.parse((await zip.file('manifest.json')?.async('string')) ?? '')
    expect(manifest.libraries).toMatchObject([{ project: '/acme/widgets' }])
    const license = await run('license', 'issue', '--kind', 'offline', '--customer', 'Example')
    if (!server) return
    const metrics = await fetch(`${server.url}/api/v2/libs/metrics?libraryId=/acme/widgets`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(metrics.status).toBe(200)
    const exported = await fetch(`${server.url}/api/v1/enterprise/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${license}`, 'content-type': 'application/json' },
      body: JSON.stringify({ library: 'acme/widgets' }),
    })
    expect(await exported.json()).toMatchObject({ libraries: [{ project: '/acme/widgets' }], force: false })
    const repository = `${git.url}/acme/widgets`
    const smoke = await run(
      'hosted',
      'smoke',
      '--base-url',
      server.url,
      '--key',
      key,
      '--license',
      license,
      '--repository',
      repository,
    )
    expect(smoke.split('\n').map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual(
      ['ready', 'add', 'worker', 'search', 'context', 'mcp', 'export', 'metrics'].map((step) => `passed ${step}`),
    )
    expect(smoke).toContain('/acme/widgets existed; it is being refreshed.')
    await run('hosted', 'usage', 'erase', '/acme/widgets')
    await run('hosted', 'salts', 'erase')
    await run('hosted', 'remove', '/acme/widgets')
    const question = `${server.url}/api/v2/context?libraryId=/acme/widgets&query=lever`
    expect(await (await fetch(question)).json()).toMatchObject({ error: 'library_not_found' })
    await expect.poll(async () => (await fetch(`${server.url}/api/v2/libs/search?libraryName=widgets`)).status).toBe(404)
  })

  test('prints an error as one sentence and exits with a failure', async () => {
    const dataDir = hostedDir(git.url)
    if (runs) await startHosted(dataDir)
    const failing = async (exitCode: number, args: string[]) => {
      const { stdout, stderr, code } = await carrel(dataDir, ...args)
      expect({ stdout, code }).toEqual({ stdout: args[1] === 'add' && stdout !== '' ? '/acme/empty' : '', code: exitCode })
      return stderr
    }
    const refused = (...args: string[]) => failing(1, args)
    const wrongUsage = (...args: string[]) => failing(2, args)
    expect(await refused('hosted', 'key', 'create', '--teamspace', 'nobody')).toMatch(/There is no teamspace "nobody"/)
    expect(await refused('hosted', 'key', 'revoke', 'unknown')).toMatch(/There is no key with the id "unknown"/)
    expect(await refused('hosted', 'own', '/acme/none', '--teamspace', 'nobody')).toMatch(/There is no teamspace/)
    expect(await refused('hosted', 'add', 'https://elsewhere.example/a/b')).toMatch(/Repositories are read from/)
    expect(await refused('hosted', 'add', `${git.url}/acme/empty`)).toMatch(/document/)
    expect(await wrongUsage('hosted', 'add', `${git.url}/acme/widgets`, '--private')).toMatch(/--private requires --teamspace/)
    expect(await refused('hosted', 'bundle', join(tempFolder(), 'out.zip'), '/acme/none')).toMatch(/no public library/)
    expect(await refused('hosted', 'replay', '/no/such/file')).toMatch(/^carrel: \/no\/such\/file does not exist\./)
    expect(await refused('hosted', 'replay', '/dev/zero')).toMatch(/neither a file nor a pipe/)
    expect(await refused('hosted', 'recover', '--restored-to', '2026-11-20T10:00:00Z')).toMatch(/Only a stage on AWS keeps/)
    for (const time of ['yesterday', '2999-01-01T00:00:00Z'])
      expect(await wrongUsage('hosted', 'recover', '--restored-to', time)).toMatch(/must be a time in the past/)
    expect(await refused('license', 'trust', '/dev/zero')).toMatch(/\/dev\/zero is larger than 65536 bytes/)
    expect(await refused('hosted', 'replay', tempFolder())).toMatch(/is a folder/)
    expect(await wrongUsage('hosted', 'teamspace', 'create', 'acme', '--plan', 'gold')).toMatch(
      /Allowed choices are free, team, enterprise/,
    )
  })
})

test('teamspaces are listed, renamed and deleted, keys have rights and an expiry, and each change is audited', async () => {
  const dataDir = hostedDir(git.url)
  const run = (...args: string[]) => carrel(dataDir, 'hosted', ...args)
  const lines = async (...args: string[]) => (await run(...args)).stdout.split('\n').map((line) => line.split('\t'))
  await run('teamspace', 'create', 'acme', '--plan', 'team')
  expect(await run('key', 'create', '--teamspace', 'acme', '--expires', 'tomorrow')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--expires must be a date such as'),
  })
  expect(await run('key', 'create', '--teamspace', 'acme', '--expires', '2001-01-01')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must be in the future'),
  })
  expect((await run('key', 'create', '--teamspace', 'acme', '--scope', 'write')).code).toBe(2)
  const rights = ['--role', 'developer', '--scope', 'read+add', '--expires', '2099-01-31']
  const { stdout: key } = await run('key', 'create', '--teamspace', 'acme', '--name', 'ci', ...rights)
  await run('teamspace', 'rename', 'ACME', 'Acme Ltd')
  expect((await lines('teamspace', 'list')).map(([name, plan]) => [name, plan])).toEqual([['Acme Ltd', 'team']])
  expect(await lines('key', 'list', '--teamspace', 'acme ltd')).toEqual([
    [
      expect.stringMatching(/^[\da-f]{16}$/),
      'ci',
      `${key.slice(0, 14)}…`,
      'developer',
      'read+add',
      expect.any(String),
      expect.stringMatching(/^operator .+@/),
      '2099-01-31T00:00:00.000Z',
      'never',
    ],
  ])
  expect((await lines('audit', '--teamspace', 'Acme Ltd')).map(([, who, ...rest]) => [who, rest.join(' ')])).toEqual([
    [expect.stringMatching(/^operator .+@/), 'createKey failed  name= role=admin scope=admin expiresAt=2001-01-01T00:00:00.000Z'],
    [expect.any(String), 'createKey done  name=ci role=developer scope=read+add expiresAt=2099-01-31T00:00:00.000Z'],
    [expect.any(String), 'renameTeamspace done name=acme name=Acme Ltd'],
  ])
  expect((await run('license', 'revoke', 'from-elsewhere')).stderr).toBe(
    'carrel: license from-elsewhere is revoked: it was not issued here.',
  )
  await run('teamspace', 'delete', 'acme ltd')
  expect((await run('key', 'list', '--teamspace', 'acme ltd')).stderr).toContain('There is no teamspace "acme ltd"')
  expect((await run('teamspace', 'list')).stdout).toBe('')
})

test('licenses that were issued before the first start are valid, and can be revoked', async () => {
  const dataDir = hostedDir(git.url)
  const issue = await carrelProcess(dataDir, 'license', 'issue', '--kind', 'online', '--customer', 'Example')
  const [, id = ''] = /license (\S+) for Example/.exec(issue.stderr) ?? []
  const server = await startHosted(dataDir)
  expect(statSync(join(dataDir, 'dev-license.pub.pem')).mode & 0o777).toBe(0o644)
  expect(statSync(join(dataDir, 'dev-bundle.pub.pem')).mode & 0o777).toBe(0o644)
  const ask = () => fetch(`${server.url}/api/v2/policies`, { headers: { authorization: `Bearer ${issue.stdout}` } })
  expect((await ask()).status).toBe(200)
  expect((await carrel(dataDir, 'license', 'revoke', id)).code).toBe(0)
  expect((await ask()).status).toBe(401)
})

test('concurrent commands take turns', async () => {
  const dataDir = hostedDir(git.url)
  const made = await Promise.all(['a', 'b', 'c'].map((name) => carrelProcess(dataDir, 'hosted', 'teamspace', 'create', name)))
  expect(made.map(({ code }) => code)).toEqual([0, 0, 0])
})

test('events of a log are replayed once, also if the log grew, and lines without events are named', async () => {
  const dataDir = hostedDir(git.url)
  const log = join(tempFolder(), 'server.log')
  const lineOf = (event: object, uncertain = false) =>
    JSON.stringify({ level: 50, msg: 'usage event not on the stream', uncertain, event })
  const [first, second] = [1, 2].map(() => lineOf(usageEvent({ library: '/acme/widgets' })))
  const uncertain = lineOf(usageEvent({ library: '/acme/widgets' }), true)
  writeFileSync(log, `${first}\n${first}\n{"msg":"request"}\n${uncertain}\n`)
  const replayed = await carrel(dataDir, 'hosted', 'replay', log)
  expect(replayed.stdout).toBe('counted\t1\ncounted before\t0\nskipped\t1\nleft out\t1')
  expect(replayed.stderr).toBe('carrel: line 2: the event repeats an earlier line')
  await carrel(dataDir, 'hosted', 'add', `${git.url}/acme/widgets`)
  await carrel(dataDir, 'hosted', 'teamspace', 'create', 'acme')
  const key = (await carrel(dataDir, 'hosted', 'key', 'create', '--teamspace', 'acme')).stdout
  await carrel(dataDir, 'hosted', 'own', '/acme/widgets', '--teamspace', 'acme')
  const server = await startHosted(dataDir)
  writeFileSync(log, `${first}\n${second}\n${uncertain}\nbroken\n`)
  const grown = await carrel(dataDir, 'hosted', 'replay', '--uncertain', log)
  expect(grown.stdout).toBe('counted\t2\ncounted before\t1\nskipped\t1\nleft out\t0')
  expect(grown.stderr).toBe('carrel: line 4: not a JSON object')
  const answer = await fetch(`${server.url}/api/v2/libs/metrics?libraryId=/acme/widgets`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { total } = (await answer.json()) as { total: Record<string, number> }
  expect(Object.values(total).reduce((sum, each) => sum + each, 0)).toBe(3)
})

test('another program on the port of a dead server never gets the secret, and the command works', async () => {
  const dataDir = hostedDir(git.url)
  const heard: string[] = []
  const stranger = createServer((incoming, outgoing) => {
    heard.push(`${incoming.url} ${incoming.headers.authorization}`)
    outgoing.end('a'.repeat(100_000))
  })
  onTestFinished(() => void stranger.close())
  await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening))
  const { port } = stranger.address() as AddressInfo
  const secret = 's'.repeat(43)
  writeFileSync(join(dataDir, 'admin.json'), JSON.stringify({ url: `http://127.0.0.1:${port}`, secret }))
  expect((await carrel(dataDir, 'hosted', 'teamspace', 'create', 'acme')).code).toBe(0)
  expect(heard).toEqual([expect.stringMatching(/^\/proof\/\w{64} undefined$/)])
})

test('a command whose server is killed during an add reports that the job is stored and where to look', async () => {
  await git.create('acme/slow', { files: { 'README.md': '# Slow' } })
  git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const dataDir = hostedDir(git.url)
  const server = await startHosted(dataDir)
  await vi.waitFor(() => expect(readdirSync(dataDir)).toContain('admin.json'), 120_000)
  const adding = carrelProcess(dataDir, 'hosted', 'add', `${git.url}/acme/slow`)
  const question = `${server.url}/api/v2/context?libraryId=/acme/slow&query=lever`
  const isFetched = async () => expect(await (await fetch(question)).text()).toContain('being fetched')
  await vi.waitFor(isFetched, { timeout: 60_000, interval: 100 })
  await server.kill()
  const { stderr, code } = await adding
  expect([code, stderr]).toEqual([1, expect.stringMatching(/The job of \/acme\/slow is stored.*context\?libraryId=\/acme\/slow/)])
})

test('the address and secret of the admin API can be read only by their owner', async () => {
  const dataDir = hostedDir(git.url)
  const server = await startHosted(dataDir)
  await vi.waitFor(() => expect(readdirSync(dataDir)).toContain('admin.json'), 120_000)
  expect(statSync(join(dataDir, 'admin.json')).mode & 0o777).toBe(0o600)
  const { url } = JSON.parse(await readFile(join(dataDir, 'admin.json'), 'utf8'))
  for (const authorization of ['', 'Bearer wrong']) {
    const answer = await fetch(`${url}/run/createTeamspace`, {
      method: 'POST',
      headers: { authorization },
      body: '{"name":"x","plan":"free"}',
    })
    expect(answer.status).toBe(403)
  }
  expect(await server.end()).toBe(0)
  expect(readdirSync(dataDir)).not.toContain('admin.json')
})
