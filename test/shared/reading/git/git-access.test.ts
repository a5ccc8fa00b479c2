import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fetchGit } from '../../../../shared/reading/git/fetch-git.ts'
import { gitEnvironment } from '../../../../shared/reading/git/git-access.ts'
import { defaultGitHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { openRemote, probeGit } from '../../../../shared/reading/git/probe-git.ts'
import { parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'
import { startConnectProxy } from '../../../fixtures/connect-proxy.ts'
import { startGitServer } from '../../../fixtures/git-server.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const github = parseRepoUrl('https://github.com/owner/repo', defaultGitHosts)
const tlsFile = (name: string) => new URL(`../../../fixtures/tls/${name}`, import.meta.url).pathname
const given = { home: '/clone', caBundle: '/clone/ca.pem', idleMs: 60_000 }

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

describe('the environment of a git process', () => {
  test('consists of the path, the certificates and our configuration', () => {
    const env = {
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy:3128',
      NO_PROXY: 'internal',
      HOME: '/root',
      GIT_DIR: '/x',
      SECRET: 'x',
    }
    const all = gitEnvironment({ address: github, isPublic: true }, { env, token: 't0ken' }, given)
    const settings = Object.fromEntries(
      Array.from({ length: Number(all.GIT_CONFIG_COUNT) }, (_, n) => [all[`GIT_CONFIG_KEY_${n}`], all[`GIT_CONFIG_VALUE_${n}`]]),
    )
    const others = Object.fromEntries(Object.entries(all).filter(([name]) => !/^GIT_CONFIG_(KEY|VALUE|COUNT)/.test(name)))
    expect([others, settings]).toMatchInlineSnapshot(`
      [
        {
          "GIT_ALLOC_LIMIT": "600m",
          "GIT_ATTR_NOSYSTEM": "1",
          "GIT_CONFIG_GLOBAL": "/dev/null",
          "GIT_CONFIG_NOSYSTEM": "1",
          "GIT_LFS_SKIP_SMUDGE": "1",
          "GIT_SSL_CAINFO": "/clone/ca.pem",
          "GIT_TERMINAL_PROMPT": "0",
          "HOME": "/clone",
          "LC_ALL": "C",
          "PATH": "/bin",
        },
        {
          "core.attributesFile": "/dev/null",
          "core.bigFileThreshold": "16m",
          "core.fsmonitor": "false",
          "core.hooksPath": "/dev/null",
          "core.protectHFS": "true",
          "core.protectNTFS": "true",
          "credential.helper": "",
          "fetch.recurseSubmodules": "false",
          "fetch.unpackLimit": "1",
          "fetch.uriProtocols": "",
          "gc.auto": "0",
          "http.followRedirects": "false",
          "http.https://github.com/owner/repo.git.proxy": "http://proxy:3128",
          "http.lowSpeedLimit": "1",
          "http.lowSpeedTime": "65",
          "http.proxy": "http://127.0.0.1:1",
          "http.proxyAuthMethod": "basic",
          "maintenance.auto": "false",
          "pack.threads": "2",
          "protocol.allow": "never",
          "protocol.http.allow": "never",
          "protocol.https.allow": "always",
          "protocol.ssh.allow": "never",
          "protocol.version": "2",
          "transfer.bundleURI": "false",
        },
      ]
    `)
  })

  test('contains a token only for a repository that needs one, as a header for its address only', () => {
    const access = { env: {}, token: 't0ken' }
    const header = (isPublic: boolean) => {
      const all = gitEnvironment({ address: github, isPublic }, access, given)
      const n = Number(all.GIT_CONFIG_COUNT) - 1
      return [all[`GIT_CONFIG_KEY_${n}`], all[`GIT_CONFIG_VALUE_${n}`]]
    }
    expect(header(false)).toEqual([
      'http.https://github.com/owner/repo.git.extraHeader',
      `Authorization: Basic ${Buffer.from('x-access-token:t0ken').toString('base64')}`,
    ])
    expect(header(true)).toEqual(['pack.threads', '2'])
  })

  test.each([
    ['https://github.com', { HTTP_PROXY: 'http://proxy:3128' }, 'http://proxy:3128'],
    ['https://github.com', { HTTP_PROXY: 'http://other:1', https_proxy: 'proxy:3128' }, 'http://proxy:3128'],
    ['https://github.com', { ALL_PROXY: 'http://user@proxy:3128/' }, 'http://user:@proxy:3128'],
    [
      'https://github.com',
      { HTTPS_PROXY: 'http://user:p%40ss@proxy:3128', NO_PROXY: 'hub.com,github.com:80' },
      'http://user:p%40ss@proxy:3128',
    ],
    ['https://github.com', {}, ''],
    ['https://github.com', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'other.example, .GitHub.com' }, ''],
    ['https://github.com', { HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'com:443' }, ''],
    ['https://github.com', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*' }, ''],
    ['http://127.0.0.1:8930', { HTTP_PROXY: 'http://proxy:3128' }, ''],
  ])('allows connections to %s with %j through the proxy "%s", and to no other address', (baseUrl, env, proxy) => {
    const address = parseRepoUrl(`${baseUrl}/owner/repo`, { ...defaultGitHosts, github: { baseUrl } })
    const all = gitEnvironment({ address, isPublic: true }, { env }, given)
    const variable = (name: string) =>
      all[
        Object.keys(all)
          .find((key) => all[key] === name)
          ?.replace('KEY', 'VALUE') ?? ''
      ]
    expect([variable(`http.${baseUrl}/owner/repo.git.proxy`), variable('http.proxy')]).toEqual([proxy, 'http://127.0.0.1:1'])
    expect(Object.keys(all).filter((name) => /proxy$/i.test(name))).toEqual([])
  })
})

describe('a proxy that rejects the connection to a git host', () => {
  const refusingProxy = async (status: number) => {
    const asked: [string | undefined, string | undefined][] = []
    const proxy = http.createServer().on('connect', (request, socket) => {
      asked.push([request.url, request.headers['proxy-authorization']])
      socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void proxy.close())
    return { asked, host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  }
  test.each([403, 407])('is named with its status %i, without its password', async (status) => {
    const { asked, host } = await refusingProxy(status)
    const env = { HTTPS_PROXY: `http://someone:p4ssword@${host}` }
    const probing = probeGit(github, { env, timeMs: 5_000, signal: new AbortController().signal })
    expect(await errorOf(probing)).toMatchObject({
      message: `Proxy ${host} refused the connection to github.com:443 (${status}).`,
      retry: 'limited',
    })
    expect(asked).toEqual([['github.com:443', `Basic ${Buffer.from('someone:p4ssword').toString('base64')}`]])
  })

  test.each([
    ['HTTP_PROXY', 403],
    ['HTTPS_PROXY', 403],
    ['HTTPS_PROXY', 407],
  ])('is named in the error of git if %s is set and the status is %i', async (name, status) => {
    const { asked, host } = await refusingProxy(status)
    const env = { PATH: process.env.PATH, [name]: `http://someone:p4ssword@${host}` }
    const remote = { address: github, moved: false, isPublic: true, refs: new Map([['refs/heads/main', 'a'.repeat(40)]]) }
    const limits = { cloneBytes: 1e6, files: 10, fileBytes: 1e6, timeMs: 20_000, idleMs: 20_000 }
    const fetching = fetchGit(
      { ...remote, defaultRef: 'refs/heads/main' },
      { env, into: tempDir(), limits, signal: new AbortController().signal },
    )
    const error = await errorOf(fetching)
    expect(error).toMatchObject({ message: `Proxy ${host} refused the connection to github.com (${status}).`, retry: 'limited' })
    expect(asked[0]).toEqual(['github.com:443', `Basic ${Buffer.from('someone:p4ssword').toString('base64')}`])
    expect(inspect(error)).not.toContain('p4ssword')
  })

  test('gets no request for a host in NO_PROXY', async () => {
    const { asked, host } = await refusingProxy(403)
    const address = parseRepoUrl('https://git.invalid/owner/repo', {
      ...defaultGitHosts,
      github: { baseUrl: 'https://git.invalid' },
    })
    const env = { HTTPS_PROXY: `http://${host}`, NO_PROXY: 'other.example, invalid' }
    const probing = probeGit(address, { env, timeMs: 5_000, signal: new AbortController().signal })
    expect(await errorOf(probing)).toMatchObject({ message: expect.stringContaining('git.invalid') })
    expect(asked).toEqual([])
  })
})

test('a host whose name cannot be resolved is retried once, and its error names a proxy and the settings of git hosts', async () => {
  const hosts = { ...defaultGitHosts, github: { baseUrl: 'https://git.invalid' } }
  const address = parseRepoUrl('https://git.invalid/owner/repo', hosts)
  const probing = probeGit(address, { env: {}, timeMs: 30_000, signal: new AbortController().signal })
  expect(await errorOf(probing)).toMatchObject({
    message: expect.stringMatching(
      /^The name git\.invalid cannot be resolved \(\w+\)\. Without internet access, set HTTPS_PROXY to a proxy, or the setting github\.baseUrl /,
    ),
    retry: 'once',
  })
})

test('a repository is read through a proxy, with a certificate of a private authority', async () => {
  const tls = { key: readFileSync(tlsFile('models.key'), 'utf8'), cert: readFileSync(tlsFile('models.pem'), 'utf8') }
  const git = await startGitServer({ tls })
  const proxy = await startConnectProxy(git.url)
  onTestFinished(async () => {
    await Promise.all([git.close(), proxy.close()])
  })
  await git.create('owner/repo', { files: { 'README.md': '# Hello' } })
  const hosts = { ...defaultGitHosts, github: { baseUrl: 'https://models.example' } }
  const access = { env: { PATH: process.env.PATH, HTTPS_PROXY: proxy.url }, caFile: tlsFile('models-ca.pem') }
  const address = parseRepoUrl('https://models.example/owner/repo', hosts)
  const remote = await openRemote(address, { ...access, timeMs: 5_000, signal: new AbortController().signal })
  const limits = { cloneBytes: 1e6, files: 10, fileBytes: 1e6, timeMs: 20_000, idleMs: 20_000 }
  const { dir } = await fetchGit(remote, { ...access, into: tempDir(), limits, signal: new AbortController().signal })
  expect(readFileSync(join(dir, 'README.md'), 'utf8')).toBe('# Hello')
  expect(new Set(proxy.tunnels)).toEqual(new Set(['models.example:443']))
})

test('a proxy that does not respond times out, and is left as soon as a job is cancelled', async () => {
  const sockets: Socket[] = []
  const proxy = createServer((socket) => sockets.push(socket.on('error', () => undefined).resume()))
  onTestFinished(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  await expect(probeGit(github, { env, timeMs: 300, signal: new AbortController().signal })).rejects.toMatchObject({
    retry: 'limited',
    message: expect.stringContaining('did not respond within'),
  })
  const [first] = sockets
  if (first?.closed === false) await once(first, 'close')
  const cancelled = new AbortController()
  const reached = once(proxy, 'connection')
  const probing = probeGit(github, { env, timeMs: 60_000, signal: cancelled.signal })
  await reached
  cancelled.abort(new Error('cancelled'))
  await expect(probing).rejects.toThrow('cancelled')
})
