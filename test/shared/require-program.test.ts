import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requireProgram } from '../fixtures/require-program.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

/**
 * Removes all programs from the PATH until the test ends, except those of the package manager, which rejects what only root may
 * do.
 */
function withoutRoot(): void {
  const folder = tempDir()
  const { PATH } = process.env
  const find = (name: string) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()
  for (const name of ['apt-cache', 'dirname', 'dpkg-query', 'sh']) symlinkSync(find(name), join(folder, name))
  // Both start other programs.
  const wrap = (name: string, check: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${check}\nPATH='${PATH}' exec ${find(name)} "$@"\n`, { mode: 0o755 })
  wrap('apt-get', 'case " $* " in *" install "* | " update ") echo "Permission denied" >&2; exit 100 ;; esac')
  wrap('dpkg-deb', '')
  process.env.PATH = folder
  onTestFinished(() => {
    process.env.PATH = PATH
  })
}

test.skipIf(spawnSync('apt-get', ['--version']).status !== 0).each([
  ['curl', ['--version'], /^curl \d/],
  ['fish', ['--no-config', '-c', 'type -t __fish_complete_directories; echo $__fish_data_dir'], /^function\n.*\/debian\/fish\//],
  [
    'zsh',
    ['-d', '-i', '-c', 'autoload -Uz compinit; compinit -u -D; whence -v compdef'],
    /shell function from .*\/debian\/zsh\//,
  ],
] as const)('a machine without %s and without root gets it from its Debian package', (name, args, expected) => {
  withoutRoot()
  expect(spawnSync(name, ['--version']).error).toMatchObject({ code: 'ENOENT' })
  requireProgram(name)
  const { stdout, stderr } = spawnSync(name, args, { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: tempDir() } })
  expect(stdout, stderr).toMatch(expected)
})
