import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../fixtures/free-port.ts'
import { proxyProgram } from '../fixtures/proxy-program.ts'
import { startNginx } from '../fixtures/reverse-proxy.ts'
import { testInstall } from '../fixtures/test-install.ts'

/**
 * Sets up the published clients and lets each of them list its servers, also through nginx: `npm run test:clients`. Downloads 300 MB at the
 * first run. The clients run in a network namespace that has only loopback, with an empty home folder and no account.
 */
const root = new URL('../..', import.meta.url).pathname
const folder = join(root, 'node_modules/.cache/clients')
const offline = 'CARREL_CLIENTS_OFFLINE'

if (process.env[offline] === undefined) {
  download()
  proxyProgram('nginx')
  const words = [
    '--net',
    '--map-root-user',
    'sh',
    '-c',
    'ip link set lo up && exec "$@"',
    'sh',
    process.execPath,
    ...process.argv.slice(1),
  ]
  const { status } = spawnSync('unshare', words, { stdio: 'inherit', env: { ...process.env, [offline]: '1' } })
  process.exitCode = status ?? 1
} else process.exitCode = await check()

function download(): void {
  const wanted = readFileSync(join(root, 'test/clients/packages.json'), 'utf8')
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted && existsSync(join(folder, 'node_modules/node'))) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  cpSync(join(root, 'test/clients/packages.json'), manifest)
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  if (status !== 0) throw new Error('The clients cannot be downloaded.')
  spawnSync('npm', ['rebuild', 'node', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
}

/** The real programs: the scripts of the packages only choose one. */
function program(pattern: string): string {
  const [found] = globSync(pattern, { cwd: join(folder, 'node_modules') })
  if (found === undefined) throw new Error(`There is no ${pattern} for this machine.`)
  return join(folder, 'node_modules', found)
}

/** Runs setup under Node 18 and each client, and prints what they say. Returns the exit code. */
async function check(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'carrel-clients-'))
  const project = join(home, 'project')
  mkdirSync(project)
  const install = await testInstall()
  const port = await freePort()
  const serverPort = Number(new URL(install.url).port)
  const directives = 'proxy_http_version 1.1; proxy_set_header Connection close;'
  const nginx = await startNginx({ port, serverPort, directives })
  const problems: string[] = []
  try {
    const cli = await (await fetch(`${install.url}/cli.mjs`)).text()
    const node18 = program('node/bin/node')
    const claude = program('@anthropic-ai/claude-code-*/claude')
    const codex = program('@openai/codex-*/vendor/*/bin/codex')
    const opencode = program('opencode-*/bin/opencode')
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }
    const run = async (file: string, words: string[], { input = '', key = '' } = {}) => {
      const child = spawn(file, words, { cwd: project, env: { ...env, ...(key && { CARREL_API_KEY: key }) }, timeout: 120_000 })
      child.stdin.end(input)
      const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('').trim()
      console.log(`\n$ ${[basename(file), ...words].join(' ')}\n${output}`)
      return output
    }
    const expectOutput = (what: string, output: string, pattern: RegExp) => {
      if (!pattern.test(output)) problems.push(`${what} printed no ${pattern}`)
    }
    const setup = (...words: string[]) =>
      run(node18, ['-', 'setup', '--claude', '--codex', '--opencode', ...words], { input: cli, key: install.keys.member })
    const list = async (what: string) => {
      expectOutput(`claude ${what}`, await run(claude, ['mcp', 'list']), /carrel: http:\S+\/mcp \(HTTP\) - . Connected/)
      expectOutput(`codex ${what}`, await run(codex, ['mcp', 'get', 'carrel']), /transport: streamable_http\s+url: http:\S+\/mcp/)
      expectOutput(`opencode ${what}`, await run(opencode, ['mcp', 'list']), /carrel.*connected/)
      expectOutput(
        `doctor ${what}`,
        await run(node18, ['-', 'doctor'], { input: cli }),
        /^ok\tclients\tClaude Code.*responds over MCP/m,
      )
    }
    await setup('--base-url', install.url)
    await list('without a key')
    install.app.settings.change({ 'permissions.requireMcpAuth': true })
    await setup('--base-url', install.url, '--yes')
    await list('with a key')
    await setup('--base-url', `http://127.0.0.1:${port}`, '--yes')
    await list('behind nginx')
    expectOutput('codex with a key', await run(codex, ['mcp', 'get', 'carrel']), /http_headers: Authorization=\*/)

    // The clients have written to their files before, so only the entry must be removed.
    await run(node18, ['-', 'setup', '--remove'], { input: cli })
    for (const [client, words] of [
      [claude, ['mcp', 'list']],
      [codex, ['mcp', 'list']],
      [opencode, ['mcp', 'list']],
    ] as const)
      if (/carrel:|carrel +http|carrel.*connected/.test(await run(client, [...words])))
        problems.push(`${client} has an entry after --remove`)
  } finally {
    await nginx.close()
    await install.close()
    rmSync(home, { recursive: true, force: true })
  }
  console.log(problems.length === 0 ? '\nEvery client reads what setup writes.' : `\n${problems.join('\n')}`)
  return problems.length === 0 ? 0 : 1
}
