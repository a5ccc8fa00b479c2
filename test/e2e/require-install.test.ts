import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test.each(Object.keys(scripts).filter((name) => name !== 'postinstall'))(
  'the command npm run %s ends with one sentence that names npm ci if there are no packages',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'carrel-no-packages-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const path of ['package.json', 'tools']) cpSync(join(root, path), join(folder, path), { recursive: true })
    const { status, stderr } = spawnSync('npm', ['run', '-s', name], { cwd: folder, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('carrel: the packages are not installed. Run: npm ci\n')
  },
)
