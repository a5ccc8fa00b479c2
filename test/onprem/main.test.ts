import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ownVendorAdvice } from '../../onprem/access/resolve-license.ts'
import { developmentPair } from '../../shared/keys/development-pair.ts'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { type License, signLicense } from '../../shared/keys/license.ts'
import { childEnv } from '../../shared/system/child-env.ts'
import { freePort } from '../fixtures/free-port.ts'
import { prepareDir, runServer, startServer } from '../fixtures/server-process.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const license: License = { id: 'lic-1', customer: 'ACME', kind: 'online', expiresAt: '2100-01-01T00:00:00.000Z' }

describe('a server without a valid license', () => {
  let env: Record<string, string>

  beforeEach(async () => {
    // The port is taken, so that a server that listens first would report that.
    const holder = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void holder.close())
    await once(holder, 'listening')
    env = { PORT: String((holder.address() as AddressInfo).port), DATA_DIR: tempDir() }
  })

  const refused = (why: string) => ({ stderr: `carrel: ${why}\n`, code: 1 })

  test('exits before it listens if it has none and other machines can reach it', async () => {
    expect(await runServer({ ...env, HOST: '0.0.0.0' })).toEqual(
      refused(
        `This build has no vendor key, so its licenses are only valid on a loopback address, not on HOST 0.0.0.0.\n${ownVendorAdvice(env.DATA_DIR ?? '', 'npm run -s carrel --')}`,
      ),
    )
  })

  test('exits before it listens if its license is forged', async () => {
    const LICENSE_KEY = await signLicense(license, makeKeyPair().privatePem)
    expect(await runServer({ ...env, LICENSE_KEY })).toEqual(
      refused('The license in LICENSE_KEY is forged or damaged: it is not signed with a key that this install trusts.'),
    )
  })

  test('exits before it listens if its license has expired', async () => {
    const { privatePem } = developmentPair(env.DATA_DIR ?? '', 'license')
    const LICENSE_KEY = await signLicense({ ...license, expiresAt: '2020-01-01T00:00:00.000Z' }, privatePem)
    expect(await runServer({ ...env, LICENSE_KEY })).toEqual(refused('The license in LICENSE_KEY expired on 2020-01-01.'))
  })
})

test('a server without HOST listens only on 127.0.0.1, with the license of LICENSE_KEY', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const { privatePem } = developmentPair(prepared.dataDir, 'license')
  const server = await startServer(prepared, { LICENSE_KEY: await signLicense(license, privatePem) })
  const { hostname, port } = new URL(server.url)
  expect(hostname).toBe('127.0.0.1')
  expect((await server.call('GET', '/api/health')).body).toMatchObject({
    licenseInfo: { valid: true, kind: 'online', expiresAt: license.expiresAt },
  })
  expect(await isReached('127.0.0.1', Number(port))).toBe(true)
  const outer = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.filter(({ internal }) => !internal))
  const others = ['127.0.0.2', '::1', ...outer.filter(({ scopeid }) => !scopeid).map(({ address }) => address)]
  const reached = await Promise.all(others.map((host) => isReached(host, Number(port))))
  expect(others.filter((_, n) => reached[n])).toEqual([])
})

function isReached(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 10_000 })
    const answer = (reached: boolean) => () => {
      socket.destroy()
      resolve(reached)
    }
    socket.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false))
  })
}

const root = new URL('../..', import.meta.url).pathname

/** Runs `npm start` with that standard output. */
async function npmStart(stdout: number | 'ignore') {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), DATA_DIR: tempDir() }
  const npm = spawn('npm', ['start', '--silent'], { cwd: root, env, stdio: ['ignore', stdout, 'ignore'], detached: true })
  onTestFinished(() => endGroup(npm.pid))
  const health = () =>
    fetch(`http://127.0.0.1:${port}/api/health`).then(
      ({ status }) => status,
      () => 'nobody answers',
    )
  await expect.poll(health).toBe(200)
  return { npm, health }
}

function endGroup(pid: number | undefined): void {
  try {
    process.kill(-(pid ?? Number.NaN), 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

test('a SIGTERM to npm start ends the server too', async () => {
  const { npm, health } = await npmStart('ignore')
  npm.kill('SIGTERM')
  await once(npm, 'exit')
  await expect.poll(health).toBe('nobody answers')
})

test('a log that cannot be written affects neither responses nor the exit', async () => {
  const { npm, health } = await npmStart(openSync('/dev/full', 'w'))
  for (let n = 0; n < 20; n++) expect(await health()).toBe(200)
  npm.kill('SIGTERM')
  await once(npm, 'exit')
  await expect.poll(health).toBe('nobody answers')
})

test('a SIGTERM during the start stops the server when it has started', async () => {
  const dataDir = tempDir()
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, ...childEnv() }
  const child = spawn(process.execPath, ['onprem/main.ts'], { cwd: root, env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await expect.poll(() => existsSync(join(dataDir, 'server.lock')), { interval: 1 }).toBe(true)
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})

test('a Ctrl-C that npm passes on does not interrupt the stop', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const { child } = await startServer(prepared)
  const exited = once(child, 'exit')
  for (let signals = 0; signals < 5; signals++) {
    child.kill('SIGINT')
    await sleep(10)
  }
  expect(await exited).toEqual([0, null])
  expect(existsSync(join(prepared.dataDir, 'server.json'))).toBe(false)
})

test('a terminal that closes ends the server as SIGTERM does', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const { child } = await startServer(prepared)
  const exited = once(child, 'exit')
  child.kill('SIGHUP')
  expect(await exited).toEqual([0, null])
  expect(existsSync(join(prepared.dataDir, 'server.json'))).toBe(false)
})
