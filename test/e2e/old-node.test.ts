import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
const programs = ['onprem/main.ts', 'onprem/cli/main.ts', 'functions/local/main.ts']
const sentence = (version: string) =>
  `carrel: Node ${version} cannot run Carrel; install Node 24 (supported: ^22.16.0 || >=24.0.0).\n`

/** Makes each Node process pretend to be another version. */
const pretend = (version: string, typescript: string | boolean = 'strip') => {
  const properties = [
    ['process.versions', 'node', version],
    ['process.features', 'typescript', typescript],
  ] as const
  const code = properties.map(([of, name, value]) => `Object.defineProperty(${of},'${name}',{value:${JSON.stringify(value)}})`)
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code.join(';'))}` }
}
const run = (program: string, words: string[], options: { cwd: string; env: Record<string, string> }) => {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const { cwd, env } = options
  const { status, stderr, stdout } = spawnSync(program, words, { cwd, encoding: 'utf8', env: { PATH, ...env } })
  return { status, stderr, stdout }
}

test.each(programs)('the program %s ends with one sentence under a Node that is too old but runs TypeScript', (program) => {
  const env = { ...pretend('23.6.0'), DATA_DIR: tempDir(), PORT: '0' }
  const outcome = run(process.execPath, [join(root, program)], { cwd: root, env })
  expect(outcome).toEqual({ status: 1, stdout: '', stderr: sentence('23.6.0') })
})

const production = () => {
  const cwd = tempDir()
  mkdirSync(join(cwd, 'node_modules/hono'), { recursive: true })
  for (const file of ['tools/require-install.sh', 'shared/system/require-node.cjs']) cpSync(join(root, file), join(cwd, file))
  return cwd
}

test.each([
  ['22.15.1', 'strip', sentence('22.15.1')],
  ['23.11.0', 'strip', sentence('23.11.0')],
  ['22.17.1', false, 'carrel: Node 22.17.1 cannot run TypeScript. Install Node 24, or run: npm ci\n'],
  ['22.20.0', 'strip', ''],
  ['24.4.1', 'strip', ''],
] as const)('a production install under Node %s (TypeScript: %s) ends with %j', (version, typescript, stderr) => {
  const outcome = run('sh', ['tools/require-install.sh'], { cwd: production(), env: pretend(version, typescript) })
  expect(outcome).toEqual({ status: stderr ? 1 : 0, stdout: '', stderr })
})
