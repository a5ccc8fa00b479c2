import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { openDataDir } from '../../../shared/store/open-data-dir.ts'
import { runCarrel, runCarrelProcess, startCarrel, startOnTerminal } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const checkout = new URL('../../..', import.meta.url).pathname
const readManifest = () => JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))

let dataDir: string
beforeEach(() => {
  dataDir = join(tempDir(), 'data')
})

const carrel = (...words: string[]) => runCarrel(words, { dataDir })

describe('the help', () => {
  test('is printed if there is no command', async () => {
    const { code, out, err } = await carrel()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Usage: carrel COMMAND \[options\]\n/)
    expect(await carrel('--help')).toEqual({ code, out, err })
  })

  test('groups the commands and shows examples', async () => {
    const { out } = await carrel('--help')
    expect(out.match(/^\S.*:$/gm)).toEqual(expect.arrayContaining(['Install:', 'Licenses:', 'Hosted service:', 'Examples:']))
    expect(out).not.toMatch(/^Commands:$/m)
  })

  test.each(['settings', 'users', 'keys', 'content', 'license'])('is the same for "help %s" and --help', async (group) => {
    const { code, out, err } = await carrel('help', group)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^Usage: carrel ${group} `))
    expect((await carrel(group, '--help')).out).toBe(out)
  })

  test('is printed as an error for a group without a command', async () => {
    const { code, out, err } = await carrel('keys')
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^Usage: carrel keys /)
  })
})

test('--version prints the version of the package', async () => {
  const expected = { code: 0, out: `${readManifest().version}\n`, err: '' }
  expect(await carrel('--version')).toEqual(expected)
  expect(await carrel('-v')).toEqual(expected)
})

test('a pipe that closes ends a command without an error', async () => {
  const child = startCarrel(['--help'], { dataDir })
  child.stdout.destroy()
  const [[code, signal], err] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  expect({ code, signal, err }).toEqual({ code: 0, signal: null, err: '' })
})

test('Ctrl-C ends a command that waits for its input, which is hidden, and nothing changes', async () => {
  const db = openDatabase(openDataDir(dataDir))
  onTestFinished(() => db.close())
  const child = startOnTerminal(['settings', 'set', 'llm.apiKey', '-'], { dataDir })
  let screen = ''
  child.stdout.on('data', (part) => {
    screen += part
    if (screen === 'llm.apiKey: ') child.stdin.write('ghp_012\x03')
  })
  const [code] = await once(child, 'exit')
  expect({ code, screen }).toEqual({ code: 130, screen: 'llm.apiKey: \r\n' })
  expect(db.prepare('SELECT * FROM settings').all()).toEqual([])
})

describe('carrel hosted', () => {
  test('returns the exit code of its commands', async () => {
    expect((await runCarrelProcess(['hosted', '--help'], { dataDir })).code).toBe(0)
    expect(await runCarrelProcess(['hosted', 'nope'], { dataDir })).toEqual({
      code: 2,
      out: '',
      err: "carrel: unknown command 'nope'; add --help for usage.\n",
    })
  })

  test('is not listed in a production install, and explains why', async () => {
    const root = productionCopy()
    const main = join(root, 'onprem/cli/main.ts')
    const { code, out } = await runCarrelProcess(['--help'], { dataDir, main })
    expect({ code, listed: out.includes('hosted') }).toEqual({ code: 0, listed: false })
    for (const words of [['hosted'], ['hosted', 'teamspace', 'create', 'acme', '--plan', 'free'], ['hosted', '--help']]) {
      expect(await runCarrelProcess(words, { dataDir, main })).toEqual({
        code: 1,
        out: '',
        err: 'carrel: The hosted half is not part of this install. Run this command in a checkout of Carrel, after "npm ci" with its development packages.\n',
      })
    }
  })
})

/** A checkout without the packages that only development needs. */
function productionCopy(): string {
  const root = tempDir()
  for (const part of ['onprem', 'shared', 'functions', 'package.json'])
    cpSync(join(checkout, part), join(root, part), { recursive: true })
  mkdirSync(join(root, 'node_modules'))
  const developmentOnly = new Set(Object.keys(readManifest().devDependencies).map((name) => name.split('/')[0]))
  for (const name of readdirSync(join(checkout, 'node_modules')))
    if (!developmentOnly.has(name)) symlinkSync(join(checkout, 'node_modules', name), join(root, 'node_modules', name))
  return root
}
