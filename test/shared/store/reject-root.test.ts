import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rejectRoot } from '../../../shared/store/reject-root.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const isRoot = process.getuid?.() === 0
/** The folders of a test that another user runs belong to that user already. */
const give = (path: string) => isRoot && chownSync(path, 65534, 65534)
const rejected = (dataDir: string, uid?: number) => () => rejectRoot(dataDir, uid)

test('a command of root creates nothing in the folder of another user, and says whom to run as', () => {
  const dataDir = tempDir()
  give(dataDir)
  const { uid } = statSync(dataDir)
  expect(rejected(dataDir, 0)).toThrow(
    `DATA_DIR ${dataDir} belongs to the user with uid ${uid}, who could not use the files that root creates there. Run the command as that user (sudo -u '#${uid}'). Nothing was changed.`,
  )
  expect(rejected(dataDir, uid)).not.toThrow()
  expect(rejected(join(dataDir, 'missing'), 0)).not.toThrow()
})

test('the owner of the database decides who may run commands, not that of the folder', () => {
  const dataDir = tempDir()
  const database = join(dataDir, 'carrel.db')
  writeFileSync(database, '')
  give(database)
  expect(rejected(dataDir, 0)).toThrow(`uid ${statSync(database).uid},`)
})
