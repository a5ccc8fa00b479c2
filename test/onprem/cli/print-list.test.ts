import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sqliteKeys } from '../../../onprem/accounts/key-store.ts'
import { tableOf } from '../../../shared/cli/print-list.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { openDataDir } from '../../../shared/store/open-data-dir.ts'
import { runCarrel, runOnTerminal } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

let dataDir: string
beforeEach(() => {
  dataDir = join(tempDir(), 'data')
})

function createKeys() {
  const db = openDatabase(openDataDir(dataDir))
  const keys = sqliteKeys(db, () => new Date('2030-01-02T03:04:05Z'))
  keys.create({ name: 'a longer name', role: 'admin' })
  keys.create({ name: '鍵', role: 'member' })
  const listed = keys.list()
  db.close()
  return listed
}

test('a list in a pipe has a tab-separated line per row', async () => {
  const lines = createKeys().map(({ id, name, prefix, role, createdAt }) =>
    [id, name, prefix, role, createdAt, 'never', 'never'].join('\t'),
  )
  expect(await runCarrel(['keys', 'list'], { dataDir })).toEqual({ code: 0, out: `${lines.join('\n')}\n`, err: '' })
})

test('a list on a terminal is an aligned table with titles', async () => {
  const [first, second] = createKeys()
  const { code, screen } = await runOnTerminal(['keys', 'list'], { dataDir })
  expect({ code, lines: screen.split('\n') }).toEqual({
    code: 0,
    lines: [
      `ID${' '.repeat((first?.id.length ?? 0) - 2)}  NAME           KEY              ROLE    CREATED     LAST USED  EXPIRES  USER`,
      `${first?.id}  a longer name  ${first?.prefix}  admin   in 3 years  never      never`,
      `${second?.id}  鍵             ${second?.prefix}  member  in 3 years  never      never`,
      '',
    ],
  })
})

test('a terminal with colours gets dim titles, and states by their colour', async () => {
  const { screen } = await runOnTerminal(['doctor'], { dataDir, env: { PORT: '0', NO_COLOR: '' } })
  expect(screen.startsWith('\u001b[2mSTATE\u001b[22m  \u001b[2mCHECK\u001b[22m ')).toBe(true)
  expect(screen).toContain('\n\u001b[32mok\u001b[39m ')
})

test('an empty list is empty in a pipe, a note on a terminal and an empty array in JSON', async () => {
  openDatabase(openDataDir(dataDir)).close()
  expect(await runCarrel(['keys', 'list'], { dataDir })).toEqual({ code: 0, out: '', err: '' })
  expect(await runCarrel(['keys', 'list', '--json'], { dataDir })).toEqual({ code: 0, out: '[]\n', err: '' })
  const remark = 'carrel: There are no keys yet. "carrel keys create --name NAME" creates one.\n'
  expect(await runOnTerminal(['keys', 'list'], { dataDir })).toEqual({ code: 0, screen: remark })
})

test('--json prints one document', async () => {
  const keys = createKeys()
  expect(JSON.parse((await runCarrel(['keys', 'list', '--json'], { dataDir })).out)).toEqual(keys)
  expect((await runCarrel(['content', 'list', '--json'], { dataDir })).out).toBe('[]\n')
  const license = await runCarrel(['license', 'show', '--json'], { dataDir })
  expect(JSON.parse(license.out)).toEqual({
    id: 'development',
    customer: 'Development',
    kind: 'offline',
    expiresAt: expect.stringMatching(/Z$/),
    cloudUrl: null,
    teamspace: null,
  })
})

test('a table counts graphemes, and two columns for a wide one', () => {
  const family = '👨‍👩‍👧'
  expect(
    tableOf([
      ['NAME', 'X'],
      ['é', '1'],
      [family, '2'],
      ['日本', '3'],
    ]),
  ).toEqual(['NAME  X', 'é     1', `${family}    2`, '日本  3'])
})
