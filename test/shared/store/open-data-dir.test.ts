import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { lockDataDir, openDataDir } from '../../../shared/store/open-data-dir.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const dataDirModule = new URL('../../../shared/store/open-data-dir.ts', import.meta.url).pathname
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the data directory', () => {
  test('is created for its owner only, with the folders above it', () => {
    const path = join(tempDir(), 'a', 'b')
    expect(openDataDir(path)).toBe(path)
    expect(modeOf(path)).toBe('700')
  })

  test('keeps its mode if it exists', () => {
    const path = join(tempDir(), 'given')
    mkdirSync(path, { mode: 0o750 })
    openDataDir(path)
    expect(modeOf(path)).toBe('750')
  })

  test.each(['file', 'file/below/it'])('is rejected in one sentence with path and reason if it is %s', (below) => {
    const folder = tempDir()
    writeFileSync(join(folder, 'file'), '')
    expect(() => openDataDir(join(folder, below))).toThrow(/^DATA_DIR .*file.* cannot be used: .*\.$/)
  })

  test('is rejected without a command that moves it away if it is a link to a disk that is not mounted', () => {
    const folder = tempDir()
    const link = join(folder, 'data')
    symlinkSync('disk', link)
    expect(() => openDataDir(link)).toThrow(
      `DATA_DIR ${link} cannot be used: ${link} is a link whose target does not exist. Mount the disk of ${folder}/disk, or create that folder.`,
    )
  })

  test.runIf(existsSync('/proc/self'))(
    'is rejected, without endless attempts, if the system creates no folders at its path',
    () => {
      expect(() => openDataDir('/proc/carrel')).toThrow(
        'DATA_DIR /proc/carrel cannot be used: its parent folder does not exist and cannot be created.',
      )
    },
  )
})

describe('the lock of the data directory', () => {
  test('admits one server and rejects a second with a sentence that names the folder', () => {
    const dataDir = tempDir()
    const lock = lockDataDir(dataDir, 'hosted')
    expect(() => lockDataDir(dataDir, 'hosted')).toThrow(
      `Another Carrel server already uses DATA_DIR ${dataDir}. Stop it or choose another DATA_DIR.`,
    )
    lock.release()
    lockDataDir(dataDir, 'hosted').release()
  })

  test('ends with its process, also after kill -9', async () => {
    const dataDir = tempDir()
    const script = `import { lockDataDir } from ${JSON.stringify(dataDirModule)}
      lockDataDir(process.argv[1], 'hosted'); gc(); console.log('locked'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    expect(() => lockDataDir(dataDir, 'hosted')).toThrow('Another Carrel server already uses')
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataDir(dataDir, 'hosted').release()
  })

  test('is rejected with the reason if it cannot be taken', () => {
    const dataDir = tempDir()
    mkdirSync(join(dataDir, 'server.lock'))
    expect(() => lockDataDir(dataDir, 'hosted')).toThrow(
      `The lock ${join(dataDir, 'server.lock')} cannot be taken: unable to open database file.`,
    )
  })

  test.runIf(process.getuid?.() === 0)(
    'is not taken if it belongs to another user who made the folder writable for everybody',
    () => {
      const dataDir = tempDir()
      lockDataDir(dataDir, 'onprem').release()
      chmodSync(dataDir, 0o777)
      chmodSync(join(dataDir, 'server.lock'), 0o600)
      const script = `import { lockDataDir } from ${JSON.stringify(dataDirModule)}
      process.setgroups([]); process.setgid(4711); process.setuid(4711)
      try { lockDataDir(process.argv[1], 'onprem') } catch (error) { console.log(error.message) }`
      expect(execFileSync(process.execPath, ['--input-type=module', '-e', script, dataDir], { encoding: 'utf8' })).toBe(
        `DATA_DIR ${dataDir} cannot be used: its files belong to another user (uid 0; this is uid 4711). Run Carrel as that user, or run: sudo chown -R 4711:4711 ${dataDir}\n`,
      )
    },
  )
})

describe('the owner of a data directory', () => {
  const belongsTo = (half: 'onprem' | 'hosted', dataDir: string) => {
    lockDataDir(dataDir, half).release()
    const other = half === 'hosted' ? 'onprem' : 'hosted'
    expect(() => lockDataDir(dataDir, other)).toThrow(
      /^DATA_DIR \S+ belongs to the (hosted|on-premise) half of Carrel; choose another/,
    )
    lockDataDir(dataDir, half).release()
  }

  test.each(['onprem', 'hosted'] as const)(
    'is the half of the first server (%s), and the other half is rejected from then on',
    (half) => {
      const dataDir = tempDir()
      belongsTo(half, dataDir)
      expect(modeOf(join(dataDir, 'half'))).toBe('600')
    },
  )

  test.each(['onprem', 'hosted'] as const)('is not decided by settings that were stored before the first start (%s)', (half) => {
    const dataDir = tempDir()
    openDatabase(dataDir).close()
    belongsTo(half, dataDir)
  })

  test.each([
    ['is empty', (path: string) => writeFileSync(path, '')],
    ['names another', (path: string) => writeFileSync(path, '__proto__')],
    ['is huge', (path: string) => writeFileSync(path, 'hosted\n'.repeat(100_000))],
    ['is a folder', (path: string) => void mkdirSync(path)],
  ])('is rejected with one sentence if its mark %s, and the lock is released', (_, write) => {
    const dataDir = tempDir()
    const mark = join(dataDir, 'half')
    write(mark)
    expect(() => lockDataDir(dataDir, 'hosted')).toThrow(
      `The file ${mark} must contain onprem or hosted, the owner of this data directory.`,
    )
    rmSync(mark, { recursive: true })
    lockDataDir(dataDir, 'hosted').release()
  })
})
