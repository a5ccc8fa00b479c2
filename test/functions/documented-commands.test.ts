import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { hostedProgram } from '../../functions/cli/hosted-program.ts'
import { licenseProgram } from '../../functions/cli/license-program.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
const pages = [
  'docs/runbook.md',
  'docs/first-deploy.md',
  'docs/hosted.md',
  '.github/workflows/deploy.yml',
  '.github/workflows/deploy-tag.yml',
]
const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n')

/** The rest of a command line after the name of the program, up to the next command. */
const commandsAfter = (program: RegExp): string[] =>
  [...text.replaceAll('\\\n', ' ').matchAll(new RegExp(`(?:${program.source}) ((?!-)[^\`|&;)\\n#]+)`, 'g'))].map(
    ([, words = '']) => words.trim(),
  )

const optionsIn = (words: string): string[] => [...words.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([option]) => option)

/** Returns the part of a command that the program does not know, or undefined. */
function unknownIn(program: Command, words: string): string | undefined {
  let command = program
  for (const word of words.split(/\s+/)) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
  }
  if (command === program || command.commands.length > 0) return words
  return optionsIn(words).find((option) => !command.options.some(({ long }) => long === option))
}

test('every command of the hosted half that its pages and workflows name exists with its options', () => {
  const commands = commandsAfter(/(?:carrel -- |^|[\s`"(])hosted(?! half)/).filter((words) =>
    hostedProgram().commands.some((command) => words.split(' ')[0] === command.name()),
  )
  expect(commands.length).toBeGreaterThan(25)
  expect(commands.flatMap((words) => unknownIn(hostedProgram(), words) ?? [])).toEqual([])
  const licenses = commandsAfter(/carrel -- license/)
  expect(licenses.length).toBeGreaterThan(2)
  expect(licenses.flatMap((words) => unknownIn(licenseProgram(), words) ?? [])).toEqual([])
})

test('every command of SST that the pages and workflows name exists with its options', () => {
  const env = { ...process.env, XDG_CONFIG_HOME: tempDir(), SST_TELEMETRY_DISABLED: '1', SST_SKIP_DEPENDENCY_CHECK: '1' }
  const commands = commandsAfter(/npx sst/).map((words) => words.split(' -- ')[0] ?? '')
  const names = [...new Set(commands.map((words) => words.split(' ')[0] ?? ''))]
  expect(names).toEqual(expect.arrayContaining(['deploy', 'diff', 'shell', 'secret', 'unlock', 'remove']))
  for (const name of names) {
    const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/sst'), [name, '--help'], {
      env,
      cwd: root,
      encoding: 'utf8',
    })
    const help = stdout + stderr
    expect(help, name).toContain(`sst ${name}`)
    const options = commands.filter((words) => words.split(' ')[0] === name).flatMap(optionsIn)
    // A group of commands lists no options; its commands have those of all.
    if (help.includes('Flags:'))
      expect(
        options.filter((option) => !help.includes(`${option} `)),
        name,
      ).toEqual([])
  }
}, 60_000)
