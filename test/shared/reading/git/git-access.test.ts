import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { gitEnvironment } from '../../../../shared/reading/git/git-access.ts'
import { probeGit } from '../../../../shared/reading/git/probe-git.ts'
import { defaultGitHosts, parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'

const github = parseRepoUrl('https://github.com/owner/repo', defaultGitHosts)
const local = parseRepoUrl('http://127.0.0.1:8930/owner/repo', {
  ...defaultGitHosts,
  github: { baseUrl: 'http://127.0.0.1:8930' },
})
const given = { home: '/clone', caBundle: '/clone/ca.pem', idleMs: 60_000 }

describe('the environment of a git process', () => {
  test('is the path, the proxies, the certificates and a configuration of ours; nothing else of the environment', () => {
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
          "HTTPS_PROXY": "http://proxy:3128",
          "LC_ALL": "C",
          "NO_PROXY": "internal",
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
          "gc.auto": "0",
          "http.followRedirects": "false",
          "http.lowSpeedLimit": "1",
          "http.lowSpeedTime": "65",
          "maintenance.auto": "false",
          "pack.threads": "2",
          "protocol.allow": "never",
          "protocol.http.allow": "never",
          "protocol.https.allow": "always",
          "protocol.version": "2",
        },
      ]
    `)
  })

  test('holds a token only for a repository that needs one, as a header for its address only', () => {
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

  test('holds no proxy for a host on this machine', () => {
    const access = { env: { HTTP_PROXY: 'http://proxy:3128' } }
    expect(gitEnvironment({ address: local, isPublic: true }, access, given)).not.toHaveProperty('HTTP_PROXY')
  })
})

test('a repository is asked for through the operator’s proxy', async () => {
  const asked: string[] = []
  const proxy = http.createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  await expect(probeGit(github, { env, timeMs: 5_000, signal: new AbortController().signal })).rejects.toMatchObject({
    message: 'The host github.com cannot be reached (ERR_PROXY_TUNNEL).',
  })
  expect(asked).toEqual(['github.com:443'])
  proxy.close()
})

test('a silent proxy times out, and is left as soon as a job is cancelled', async () => {
  const sockets: Socket[] = []
  const proxy = createServer((socket) => sockets.push(socket.on('error', () => undefined).resume()))
  onTestFinished(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  await expect(probeGit(github, { env, timeMs: 300, signal: new AbortController().signal })).rejects.toMatchObject({
    transient: true,
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
