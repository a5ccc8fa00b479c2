import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrations } from '../../shared/store/migrations.ts'
import { runCarrel } from '../fixtures/run-carrel.ts'
import { prepareDir, runServer, startServer } from '../fixtures/server-process.ts'

/** A data directory that a server has used, whose database is then changed by `sql`. */
async function usedDir(sql: string): Promise<string> {
  const { dataDir } = prepareDir('http://127.0.0.1:1')
  const server = await startServer({ dataDir, key: '' })
  await server.end()
  const db = new DatabaseSync(join(dataDir, 'carrel.db'))
  db.exec(sql)
  db.close()
  return dataDir
}

/** The bytes of each file; every start renews the lock and the reserve. */
const filesOf = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/*', { cwd: dataDir, exclude: ['server.lock*', 'reserve'] })
      .filter((name) => statSync(join(dataDir, name)).isFile())
      .map((name) => [name, readFileSync(join(dataDir, name), 'base64')]),
  )

test('a data directory of a newer version is left unchanged, with one sentence of advice', async () => {
  const dataDir = await usedDir(`PRAGMA user_version = ${migrations.length + 1}`)
  const before = filesOf(dataDir)
  const sentence = `carrel: The database ${join(dataDir, 'carrel.db')} was written by a newer version of Carrel. Start that version, or restore a copy of DATA_DIR from before the upgrade.\n`
  expect(await runServer({ DATA_DIR: dataDir, PORT: '0' })).toEqual({ code: 1, stderr: sentence })
  expect(filesOf(dataDir)).toEqual(before)
})

test('a data directory from before the first release is left unchanged by the server and by commands, with advice', async () => {
  const dataDir = await usedDir('PRAGMA application_id = 0; PRAGMA user_version = 24')
  const before = filesOf(dataDir)
  const sentence = `carrel: The database ${join(dataDir, 'carrel.db')} was written by an unreleased version of Carrel or by another program. Nothing was changed. Choose an empty DATA_DIR and add the libraries again, or start the version that wrote it.\n`
  expect(await runServer({ DATA_DIR: dataDir, PORT: '0' })).toEqual({ code: 1, stderr: sentence })
  for (const words of [['list'], ['keys', 'create', '--name', 'x'], ['backup', '-']])
    expect({ words, ...(await runCarrel(words, { dataDir })) }).toEqual({ words, code: 1, out: '', err: sentence })
  const { code, out } = await runCarrel(['doctor'], { dataDir })
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringContaining(
      'problem\tlicense\tNot checked: the database was written by an unreleased version of Carrel or by another program.',
    ),
  })
  expect(filesOf(dataDir)).toEqual(before)
})
