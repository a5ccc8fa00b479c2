import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockDataDir, openDataDir } from '../../../shared/store/data-dir.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const dataDirModule = new URL('../../../shared/store/data-dir.ts', import.meta.url).pathname
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the data directory', () => {
  test('is made for its owner alone, with the folders above it', () => {
    const path = join(tempDir(), 'a', 'b')
    expect(openDataDir(path)).toBe(path)
    expect(modeOf(path)).toBe('700')
  })

  test('that is there keeps its mode', () => {
    const path = join(tempDir(), 'given')
    mkdirSync(path, { mode: 0o750 })
    openDataDir(path)
    expect(modeOf(path)).toBe('750')
  })

  test.each(['file', 'file/below/it'])('cannot be %s: one sentence names the path and why', (below) => {
    const folder = tempDir()
    writeFileSync(join(folder, 'file'), '')
    expect(() => openDataDir(join(folder, below))).toThrow(/^DATA_DIR .*file.* cannot be used: .*\.$/)
  })

  test.runIf(existsSync('/proc/self'))(
    'cannot be where the system makes no folders, and says so instead of trying for ever',
    () => {
      expect(() => openDataDir('/proc/carrel')).toThrow(
        'DATA_DIR /proc/carrel cannot be used: its parent folder does not exist and cannot be made.',
      )
    },
  )
})

describe('the lock of the data directory', () => {
  test('lets one server in and refuses a second with a sentence that names the folder', () => {
    const dataDir = tempDir()
    const lock = lockDataDir(dataDir)
    expect(() => lockDataDir(dataDir)).toThrow(
      `Another Carrel server already runs on DATA_DIR ${dataDir}; stop it or choose another DATA_DIR.`,
    )
    lock.release()
    lockDataDir(dataDir).release()
  })

  test('ends with its process, also after kill -9', async () => {
    const dataDir = tempDir()
    const script = `import { lockDataDir } from ${JSON.stringify(dataDirModule)}
      lockDataDir(process.argv[1]); gc(); console.log('locked'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    expect(() => lockDataDir(dataDir)).toThrow('Another Carrel server already runs')
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataDir(dataDir).release()
  })

  test('that cannot be taken for another reason says which', () => {
    const dataDir = tempDir()
    mkdirSync(join(dataDir, 'server.lock'))
    expect(() => lockDataDir(dataDir)).toThrow(
      `The lock ${join(dataDir, 'server.lock')} cannot be taken: unable to open database file.`,
    )
  })
})
