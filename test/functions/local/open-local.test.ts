import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLocal } from '../../../functions/local/open-local.ts'
import { lockDataDir } from '../../../shared/store/open-data-dir.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

// Not quick: the emulated tables listen on a port.
const open = (dataDir: string) => openLocal({ DATA_DIR: dataDir, HOST: '127.0.0.1' }, process.env, recordedLog())

/** A data directory that was in use: it knows a teamspace. */
async function usedDir(): Promise<string> {
  const dataDir = tempDir()
  const local = await open(dataDir)
  await local.hosted.teamspaces.create('acme', 'team')
  await local.close()
  return dataDir
}

const knowsAcme = async (dataDir: string) => {
  const local = await open(dataDir)
  const found = await local.hosted.teamspaces.find('acme')
  await local.close()
  return found !== undefined
}

const refused = (dataDir: string, sentence: RegExp) =>
  expect(open(dataDir)).rejects.toMatchObject({ name: 'AppError', message: expect.stringMatching(sentence) })

const spoilTables = {
  'tables are overwritten': (dir: string) => {
    for (const name of readdirSync(dir).filter((each) => each.endsWith('.ldb'))) writeFileSync(join(dir, name), 'garbage')
  },
  'tables are lost': (dir: string) => {
    for (const name of readdirSync(dir).filter((each) => each.endsWith('.ldb'))) rmSync(join(dir, name))
  },
  'the newest state is none': (dir: string) => writeFileSync(join(dir, 'CURRENT'), 'MANIFEST-999999\n'),
}

test.each(Object.entries(spoilTables))('a start fails with one sentence if %s', async (_, spoil) => {
  const dataDir = await usedDir()
  // The log that is written at the end of a run becomes a table at the next start.
  expect(await knowsAcme(dataDir)).toBe(true)
  expect(readdirSync(join(dataDir, 'dynamodb')).some((name) => name.endsWith('.ldb'))).toBe(true)
  spoil(join(dataDir, 'dynamodb'))
  await refused(dataDir, /^The tables in \S+dynamodb cannot be opened: [^\n]+\.$/)
})

test('folders that others can read become private to their owner', async () => {
  const dataDir = await usedDir()
  const folders = ['dynamodb', 'snippets', 'objects'].map((name) => join(dataDir, name))
  for (const folder of folders) chmodSync(folder, 0o755)
  await (await open(dataDir)).close()
  expect(folders.map((folder) => (statSync(folder).mode & 0o777).toString(8))).toEqual(['700', '700', '700'])
})

test('a file in place of a folder of the data directory is rejected with one sentence', async () => {
  const dataDir = tempDir()
  writeFileSync(join(dataDir, 'snippets'), '')
  await refused(dataDir, /^The folder .*snippets cannot be used: a file is in its way\. Run: mv \S+snippets \S+snippets\.old$/)
})

test('a data directory of one half is rejected by the other with one sentence, and stays unchanged', async () => {
  const hosted = await usedDir()
  const before = readdirSync(hosted)
  expect(() => lockDataDir(hosted, 'onprem')).toThrow(
    `DATA_DIR ${hosted} belongs to the hosted half of Carrel; choose another DATA_DIR for the on-premise half.`,
  )
  const onprem = tempDir()
  lockDataDir(onprem, 'onprem').release()
  await refused(onprem, /^DATA_DIR \S+ belongs to the on-premise half of Carrel; choose another DATA_DIR for the hosted half\.$/)
  expect([readdirSync(hosted), readdirSync(onprem)]).toEqual([before, ['half', 'server.lock']])
})
