import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openClones } from '../../../shared/indexing/clones.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('a discarded clone is renamed immediately, and its files are deleted in the background', async () => {
  const folder = tempDir()
  const clones = openClones(folder, silent)
  const clone = await clones.make(7)
  await mkdir(join(clone, 'tree'))
  await Promise.all(Array.from({ length: 2000 }, (_, n) => writeFile(join(clone, 'tree', `${n}.md`), '')))
  await clones.discard(clone)
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^gone-/)])
  await clones.close()
  expect(await readdir(folder)).toEqual([])
})

test('a run that begins before the remains of a killed server are deleted keeps its clone and its git process', async () => {
  const folder = tempDir()
  await mkdir(join(folder, '7-0123'))
  const clones = openClones(folder, silent)
  const clone = await clones.make('preview')
  execFileSync('git', ['init', '-q', clone])
  const git = spawn('git', ['cat-file', '--batch'], { cwd: clone, stdio: ['pipe', 'pipe', 'inherit'] })
  await clones.empty()
  await until(async () => (await readdir(folder)).length === 1)
  git.stdin.end('HEAD\n')
  expect(await text(git.stdout)).toBe('HEAD missing\n')
  await clones.discard(clone)
  await clones.close()
})

test('a clone that cannot be deleted is retried until it is gone, with one log line', async () => {
  const [folder, bin] = [tempDir(), tempDir()]
  const left = join(folder, '7-0123', 'tree')
  await mkdir(left, { recursive: true })
  const failsTwice = `#!/bin/sh
for n in 1 2; do mkdir "$0.$n" 2>/dev/null && echo "rm: cannot remove: Directory not empty" >&2 && exit 1; done
PATH=\${PATH#*:} exec rm "$@"`
  await writeFile(join(bin, 'rm'), failsTwice)
  await chmod(join(bin, 'rm'), 0o755)
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const warnings: string[] = []
  const clones = openClones(folder, { ...silent, warn: (_, message) => void warnings.push(message) })
  await clones.empty()
  await until(async () => (await readdir(folder)).length === 0)
  expect(warnings).toEqual(['a clone cannot be deleted yet and is tried again'])
  await clones.close()
})
