import { beforeEach, expect, test } from 'vitest'
import { serverActor, sqliteAudit } from '../../../onprem/accounts/audit-log.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { runCarrel, runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = tempDir()
  await runCarrel(['keys', 'create', '--name', 'laptop'], { dataDir })
  await runCarrel(['keys', 'create', '--name', 'tablet'], { dataDir })
})

const audit = (...words: string[]) => runCarrel(['audit', ...words], { dataDir })

test('audit verify checks the log, also against a head that was printed before', async () => {
  const { out } = await audit('head')
  expect(out).toMatch(/^2:[\da-f]{64}\n$/)
  await runCarrel(['keys', 'create', '--name', 'phone'], { dataDir })
  expect(await audit('verify', '--head', out.trim())).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^3 entries checked; the newest one is 3:[\da-f]{64}\n$/),
  })
})

test('audit verify fails for an altered entry and names it', async () => {
  const db = openDatabase(dataDir)
  db.exec("DROP TRIGGER audit_rows_are_final; UPDATE audit SET actor = 'nobody' WHERE id = 2")
  db.close()
  expect(await audit('verify')).toEqual({
    code: 1,
    out: '',
    err: 'carrel: Entry 2 does not follow entry 1: one of them was altered, or entries were removed or reordered.\n',
  })
})

test('audit verify rejects a head that is none', async () => {
  expect(await audit('verify', '--head', '12')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--head takes what "audit head" printed: ID:HASH.'),
  })
})

test('audit export prints JSON lines with who made the changes', async () => {
  const { out } = await audit('export')
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { id: 1, actor: 'command line', actorId: 'command line', address: 'command line', action: 'key.create' },
    { id: 2, action: 'key.create' },
    { id: 3, action: 'audit.export' },
  ])
})

test('audit export writes more than a pipe holds', async () => {
  const db = openDatabase(dataDir)
  sqliteAudit(db, () => new Date()).recordAll({ actor: serverActor('x'), action: 'test' }, Array(3_000).fill('y'.repeat(500)))
  db.close()
  const { code, out } = await runCarrelProcess(['audit', 'export'], { dataDir })
  expect(code).toBe(0)
  expect(out.trim().split('\n')).toHaveLength(3_003)
})
