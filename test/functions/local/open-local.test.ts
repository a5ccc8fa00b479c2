import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dynamoFolder } from '../../../functions/local/dynamo-folder.ts'
import { openLocal } from '../../../functions/local/open-local.ts'
import { lockDataDir } from '../../../shared/store/open-data-dir.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

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

const wrong = {
  'the file that names the newest state of the tables is lost': (dir: string) => rmSync(join(dir, 'dynamodb', 'CURRENT')),
  'the tables are lost but the rest exists': (dir: string) => rmSync(join(dir, 'dynamodb'), { recursive: true }),
}

test.each(Object.entries(wrong))('a start deletes nothing and gives advice if %s', async (_, spoil) => {
  const dataDir = await usedDir()
  spoil(dataDir)
  const before = existsSync(join(dataDir, 'dynamodb')) ? readdirSync(join(dataDir, 'dynamodb')) : []
  const sentence =
    /^The tables in .*dynamodb are missing or incomplete, .* Restore the whole directory from a backup, or move it away/
  await refused(dataDir, sentence)
  await refused(dataDir, sentence)
  expect(readdirSync(join(dataDir, 'dynamodb'))).toEqual(expect.arrayContaining(before))
})

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
  await refused(dataDir, /^The folder .*snippets cannot be used: a file is in its way\.$/)
})

test.runIf(mayMount())(
  'the server keeps running on a full disk, logs it once, and writes and reads again when there is space',
  async () => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 24)
    onTestFinished(() => unmount?.())
    const log = recordedLog()
    const { table, close } = await dynamoFolder(join(disk, 'dynamodb'), { log })
    onTestFinished(close)
    const put = (sk: string) =>
      table.db.send(new PutCommand({ TableName: table.name, Item: { pk: 'acme', sk, text: 'x'.repeat(100_000) } }))
    await put('first')
    expect(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(32 * 2 ** 20))).toThrow('ENOSPC')
    await expect(put('second')).rejects.toThrow()
    await expect(put('second')).rejects.toThrow()
    rmSync(join(disk, 'ballast'))
    await vi.waitFor(() => put('third'), { timeout: 60_000, interval: 50 })
    const { Item } = await table.db.send(new GetCommand({ TableName: table.name, Key: { pk: 'acme', sk: 'first' } }))
    expect(Item?.text).toHaveLength(100_000)
    expect(log.lines).toMatchObject([
      { level: 'error', message: 'the tables failed and are reopened', fields: { error: expect.any(Error) } },
      { level: 'info', message: 'the tables are open again' },
    ])
  },
  30_000,
)

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
