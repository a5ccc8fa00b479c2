import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { requireProgram } from '../../fixtures/require-program.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** Each starts interactively with a known prompt, and `carrel` prints its arguments. */
const starts: Record<Shell, { file: string; setup: string; command(folder: string): string }> = {
  bash: {
    file: 'bashrc',
    setup: "PS1='READY> '; bind 'set enable-bracketed-paste off'; carrel() { echo \"RAN: $*.\"; }",
    command: (folder) => `bash --noprofile --rcfile ${folder}/bashrc -i`,
  },
  zsh: {
    file: '.zshrc',
    setup: 'PS1=\'READY> \'; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; carrel() { echo "RAN: $*."; }',
    command: (folder) => `env ZDOTDIR=${folder} zsh -d -i`,
  },
  fish: {
    file: 'config.fish',
    setup:
      'function fish_prompt; echo -n \'READY> \'; end; function fish_greeting; end; function carrel; echo "RAN: $argv."; end',
    command: (folder) => `fish --no-config --init-command 'source ${folder}/config.fish'`,
  },
}

/** The arguments of `carrel` after these keys are typed on a terminal. */
async function typeInto(shell: Shell, keys: string): Promise<string | undefined> {
  const folder = tempDir()
  writeFileSync(join(folder, 'completion'), (await runCarrel(['completion', shell], { dataDir: join(folder, 'data') })).out)
  const { file, setup, command } = starts[shell]
  writeFileSync(join(folder, file), `${setup}\nsource ${join(folder, 'completion')}\n`)
  writeFileSync(join(folder, 'some-file.zip'), '')
  const child = spawn('script', ['-qec', `stty cols 200; exec ${command(folder)}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh', TERM: 'xterm' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  let typed = false
  child.stdout.on('data', (part) => {
    screen += part
    if (!typed && screen.includes('READY> ')) {
      typed = true
      child.stdin.write(`${keys}\r`)
    }
    if (/RAN: [^\r\n]*\./.test(screen)) child.kill('SIGKILL')
  })
  await once(child, 'exit')
  return /RAN: ([^\r\n]*)\./.exec(screen)?.[1]
}

describe.each(shells)('completion in %s', (shell) => {
  beforeAll(() => requireProgram(shell))

  test('prints a script that the shell accepts, and nothing else', async () => {
    const { code, out, err } = await runCarrel(['completion', shell], { dataDir: join(tempDir(), 'data') })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const script = join(tempDir(), 'script')
    writeFileSync(script, out)
    const { status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test.each([
    ['carrel ke\tcr\t--ro\tad\t', 'keys create --role admin'],
    ['carrel settings set llm.pro\tant\t', 'settings set llm.provider anthropic'],
    ['carrel settings unset github.t\t', 'settings unset github.token'],
    ['carrel users del\t', 'users delete'],
    ['carrel help doc\t', 'help doctor'],
    ['carrel import some\t', 'import some-file.zip'],
    ['carrel completion zs\t', 'completion zsh'],
  ])('completes %j to %j', async (keys, expected) => {
    expect((await typeInto(shell, keys))?.trim()).toBe(expected)
  })
})

test.each([
  ['completion', "missing required argument 'shell'; add --help for usage."],
  ['completion tcsh', "command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish."],
])('the command "%s" is wrong usage', async (words, message) => {
  expect(await runCarrel(words.split(' '), { dataDir: join(tempDir(), 'data') })).toEqual({
    code: 2,
    out: '',
    err: `carrel: ${message}\n`,
  })
})
