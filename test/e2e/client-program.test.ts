import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setupCommand } from '../../shared/web/connect/clients.ts'
import { freePort } from '../fixtures/free-port.ts'
import { installNode } from '../fixtures/packed-install.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { type TestHosted, testHosted } from '../fixtures/test-hosted.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let install: TestInstall
let hosted: TestHosted
let program: string
let node18: string
const nodeFolder = mkdtempSync(join(tmpdir(), 'carrel-node-'))

beforeAll(async () => {
  install = await testInstall()
  hosted = await testHosted()
  program = await (await fetch(`${install.url}/cli.mjs`)).text()
  node18 = await installNode('18.20.8', nodeFolder)
})
afterAll(async () => {
  rmSync(nodeFolder, { recursive: true })
  await Promise.all([install.close(), hosted.close()])
})

async function run(words: string[], { home = tempDir(), file }: { home?: string; file?: string } = {}) {
  const child = spawn(node18, [file ?? '-', ...words], { cwd: home, env: { PATH: process.env.PATH, HOME: home } })
  child.stdin.end(file === undefined ? program : '')
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  return { code, out, err, home }
}

test('both halves serve the program to everyone, in any state', async () => {
  const served = await fetch(`${install.url}/cli.mjs`)
  expect(served.status).toBe(200)
  expect(served.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(served.headers.get('cache-control')).toBe('no-cache')
  expect(served.headers.get('last-modified')).not.toBeNull()
  const other = await fetch(`${hosted.url}/cli.mjs`)
  expect([other.status, other.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect((await other.text()) === program).toBe(true)
  expect(program.length).toBeLessThan(200_000)
})

test('the program needs no package, and names no other host', () => {
  const required = [...program.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name)
  expect(required.length).toBeGreaterThan(5)
  expect(required.filter((name) => !name.startsWith('node:'))).toEqual([])
  expect(/^import |import\.meta|node_modules/m.exec(program)?.[0]).toBeUndefined()
  const hosts = new Set([...program.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host))
  expect([...hosts].filter((host) => !/^carrel\.example\.com$/.test(host ?? ''))).toEqual([])
})

test('the command of the page Connect runs the program, and fails if the address is wrong', async () => {
  const sh = async (root: string) => {
    const home = tempDir()
    const env = { PATH: `${dirname(node18)}:${process.env.PATH}`, HOME: home }
    const child = spawn('sh', ['-c', setupCommand('claude', root) ?? ''], { cwd: home, env, stdio: 'ignore' })
    const [code] = await once(child, 'exit')
    return { failed: code !== 0, files: readdirSync(home).filter((name) => name !== 'carrel.mjs') }
  }
  expect(await sh(install.url)).toEqual({ failed: false, files: ['.claude', '.claude.json', '.local'] })
  for (const root of [`http://127.0.0.1:${await freePort()}`, `${install.url}/nowhere`, `${install.url}/api`])
    expect(await sh(root)).toEqual({ failed: true, files: [] })
})

describe('the program under Node 18', () => {
  test('runs setup, doctor and --remove from standard input', async () => {
    const { code, out, err, home } = await run(['setup', '--base-url', install.url, '--claude', '--codex', '--yes'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`To undo: curl -fsSLo carrel.mjs ${install.url}/cli.mjs && node carrel.mjs setup --remove\n`)
    const doctor = await run(['doctor'], { home })
    expect(doctor).toMatchObject({ code: 0, err: '' })
    expect(doctor.out).toBe(
      `ok\tclients\tClaude Code (~/.claude.json): ${install.url}/mcp responds over MCP 2025-06-18 and 2026-07-28, without a key.\n` +
        `ok\tclients\tCodex (~/.codex/config.toml): ${install.url}/mcp responds over MCP 2025-06-18 and 2026-07-28, without a key.\n`,
    )
    expect(await run(['setup', '--remove'], { home })).toMatchObject({ code: 0, err: '' })
    expect(readdirSync(home)).toEqual([])
  })

  test('runs as a file', async () => {
    const file = join(tempDir(), 'cli.mjs')
    writeFileSync(file, program)
    const { code, home } = await run(['setup', '--base-url', hosted.url, '--vscode'], { file })
    expect(code).toBe(0)
    const { servers } = JSON.parse(readFileSync(join(home, '.config/Code/User/mcp.json'), 'utf8'))
    expect(servers.carrel).toEqual({ type: 'http', url: `${hosted.url}/mcp` })
  })

  test('rejects a question as wrong usage if there is no terminal', async () => {
    const project = tempDir()
    writeFileSync(join(project, '.mcp.json'), '{}')
    const child = spawn('setsid', [node18, '-', 'setup', '--base-url', install.url, '--project'], {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: tempDir() },
    })
    child.stdin.end(program)
    const [[code], err] = await Promise.all([once(child, 'exit'), text(child.stderr)])
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^carrel: There is no terminal to ask on\. Add --yes, or name/),
    })
  })

  test('accepts a typed key on a terminal while standard input is the program', async () => {
    const home = tempDir()
    writeFileSync(join(home, 'cli.mjs'), program)
    install.app.settings.change({ 'permissions.requireMcpAuth': true })
    const command = `cat cli.mjs | '${node18}' - setup --base-url ${install.url} --claude`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh', TERM: 'xterm' },
    })
    let screen = ''
    child.stdout.on('data', (data) => {
      screen += data
      if (screen.endsWith('(not shown): ')) child.stdin.write(`${install.keys.member}\r`)
    })
    const [code] = await once(child, 'exit')
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.not.stringContaining(install.keys.member) })
    expect((await run(['doctor'], { home })).out).toContain('and the key is accepted.')

    const config = join(home, '.claude.json')
    writeFileSync(config, readFileSync(config, 'utf8').replace(install.keys.member, 'another'))
    const doctor = await run(['doctor'], { home })
    expect(doctor.code).toBe(1)
    expect(doctor.out).toContain(
      `problem\tclients\tClaude Code (~/.claude.json): ${install.url}/mcp does not accept the key. Run setup again.`,
    )
    expect(doctor.out).not.toContain('another')

    install.app.settings.change({ 'permissions.requireMcpAuth': false })
    expect((await run(['doctor'], { home })).out).toContain('and requires no key, although the file has one.')
  })
})
