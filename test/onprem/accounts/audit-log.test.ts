import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { type AuditLog, serverActor, sqliteAudit } from '../../../onprem/accounts/audit-log.ts'
import { exportAudit } from '../../../onprem/accounts/export-audit.ts'
import { verifyAudit } from '../../../onprem/accounts/verify-audit.ts'
import { openDatabase, transaction } from '../../../shared/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const ada = { name: 'ada', id: 'u1', address: '192.0.2.7' }
let db: DatabaseSync
let audit: AuditLog
let time: number

beforeEach(() => {
  db = openDatabase(tempDir())
  time = Date.parse('2026-11-01T00:00:00Z')
  audit = sqliteAudit(db, () => new Date(time++))
})

const fill = (entries: number) => audit.recordAll({ actor: ada, action: 'library.add' }, ids(entries))
const ids = (entries: number) => Array.from({ length: entries }, (_, i) => `/acme/lib-${i + 1}`)

/** Changes the log as somebody with the file can: the triggers only stop our own code. */
function tamper(sql: string): void {
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'audit_*'").all())
    db.exec(`DROP TRIGGER ${String(name)}`)
  db.exec(sql)
}

test('an entry says who, from where, what, on which library and whether it was allowed', () => {
  audit.record({ actor: ada, action: 'library.delete', subject: '/acme/anvil' })
  audit.record({
    actor: serverActor('schedule'),
    action: 'request.refuse',
    subject: 'GET /x',
    library: '/a/b',
    outcome: 'refused',
  })
  expect(audit.list(1, 10).entries).toMatchObject([
    { id: 2, actor: 'schedule', actorId: '', address: '', library: '/a/b', outcome: 'refused' },
    {
      id: 1,
      at: '2026-11-01T00:00:00.000Z',
      actor: 'ada',
      actorId: 'u1',
      address: '192.0.2.7',
      action: 'library.delete',
      subject: '/acme/anvil',
      library: '/acme/anvil',
      outcome: 'allowed',
    },
  ])
})

test('an untouched log is whole', () => {
  fill(20)
  expect(verifyAudit(db)).toEqual({ entries: 20, head: audit.head() })
  expect(audit.head().id).toBe(20)
})

test('an empty log is whole', () => {
  expect(verifyAudit(db)).toEqual({ entries: 0, head: { id: 0, hash: '' } })
})

test.each([
  ['an altered field', "UPDATE audit SET subject = '/acme/other' WHERE id = 7", 'Entry 7 does not follow entry 6'],
  ['an altered address', "UPDATE audit SET address = '' WHERE id = 7", 'Entry 7 does not follow entry 6'],
  ['an altered outcome', "UPDATE audit SET outcome = 'refused' WHERE id = 7", 'Entry 7 does not follow entry 6'],
  ['an altered oldest entry', "UPDATE audit SET actor = 'leo' WHERE id = 1", 'Entry 1, the oldest one, was altered'],
  ['a removed entry', 'DELETE FROM audit WHERE id = 7', 'Entries 7 to 7 are missing'],
  ['a removed beginning', 'DELETE FROM audit WHERE id < 7', 'Entries 1 to 6 are missing'],
  [
    'a removed entry whose followers were numbered again',
    'DELETE FROM audit WHERE id = 7; UPDATE audit SET id = id - 1 WHERE id > 7',
    'Entry 7 does not follow entry 6',
  ],
  [
    'two entries in another order',
    'UPDATE audit SET id = 0 WHERE id = 7; UPDATE audit SET id = 7 WHERE id = 8; UPDATE audit SET id = 8 WHERE id = 0',
    'Entry 7 does not follow entry 6',
  ],
  ['an entry without a hash', "UPDATE audit SET hash = '' WHERE id = 7", 'Entry 7 does not follow entry 6'],
  ['a removed end', 'DELETE FROM audit WHERE id > 15', 'The newest entries are missing: the last one is 15'],
])('%s is found', (_, sql, problem) => {
  fill(20)
  tamper(sql)
  expect(verifyAudit(db).problem).toContain(problem)
})

test('a log that was cut at its end, with the end that it stores, is only found out by a witness', () => {
  fill(20)
  const witnessed = audit.head()
  tamper(`DELETE FROM audit WHERE id > 15;
    UPDATE audit_chain SET head_id = 15, head_hash = (SELECT hash FROM audit WHERE id = 15)`)
  expect(verifyAudit(db).problem).toBeUndefined()
  expect(verifyAudit(db, witnessed).problem).toContain('The log ends at entry 15, and entry 20 was witnessed')
})

test('a log that was written again is only found out by a witness', () => {
  fill(20)
  const witnessed = audit.head()
  tamper("DELETE FROM audit; UPDATE audit_chain SET head_id = 0, head_hash = ''")
  audit.recordAll({ actor: ada, action: 'library.add' }, ids(25).reverse())
  expect(verifyAudit(db).problem).toBeUndefined()
  expect(verifyAudit(db, witnessed).problem).toContain('Entry 20 is not the one that was witnessed')
})

test('a log that has grown holds an entry that was witnessed before', () => {
  fill(20)
  const witnessed = audit.head()
  fill(5)
  expect(verifyAudit(db, witnessed)).toMatchObject({ entries: 25, head: { id: 25 } })
  expect(verifyAudit(db, witnessed).problem).toBeUndefined()
})

test.each([
  ['change', "UPDATE audit SET actor = 'leo' WHERE id = 3"],
  ['remove', 'DELETE FROM audit WHERE id = 20'],
  ['remove the oldest of', 'DELETE FROM audit WHERE id = 1'],
  [
    'replace',
    "INSERT OR REPLACE INTO audit (id, at, actor, action, subject) VALUES (3, '2026-01-01T00:00:00.000Z', 'leo', 'x', 'y')",
  ],
  ['forget the end of', 'DELETE FROM audit_chain'],
  ['cut other entries off', "UPDATE audit_chain SET cut_id = 10, cut_hash = 'x'"],
])('no statement of the server can %s the entries', (_, sql) => {
  fill(20)
  expect(() => db.exec(sql)).toThrow(/append-only|only cut at an entry/)
  expect(verifyAudit(db)).toMatchObject({ entries: 20 })
})

test('entries of an older version are chained before the next one', () => {
  db.exec(`INSERT INTO audit (id, at, actor, action, subject) VALUES
    (1, '2026-01-01T00:00:00.000Z', 'ada', 'key.create', 'one'), (2, '2026-01-02T00:00:00.000Z', 'ada', 'key.create', 'two')`)
  fill(1)
  expect(verifyAudit(db)).toMatchObject({ entries: 3, head: { id: 3 } })
  expect(verifyAudit(db).problem).toBeUndefined()
  expect(audit.list(1, 1, { q: 'two' }).entries).toMatchObject([{ id: 2, hash: expect.stringMatching(/^[\da-f]{64}$/) }])
})

test('an entry of a change that is undone leaves no gap', () => {
  fill(2)
  expect(() =>
    transaction(db, () => {
      fill(3)
      throw new Error('undone')
    }),
  ).toThrow('undone')
  fill(1)
  expect(verifyAudit(db)).toMatchObject({ entries: 3, head: { id: 3 } })
})

test.each([
  [{ actor: 'u1' }, 3],
  [{ actor: 'AD' }, 3],
  [{ actor: 'leo' }, 1],
  [{ action: 'library' }, 3],
  [{ action: 'library.add' }, 3],
  [{ action: 'lib' }, 0],
  [{ action: '*' }, 0],
  [{ library: '/ACME/lib-2' }, 1],
  [{ outcome: 'refused' as const }, 1],
  [{ from: '2026-11-01T00:00:00.001Z', to: '2026-11-01T00:00:00.003Z' }, 2],
  [{ q: 'lib-2' }, 1],
  [{ q: 'ada', outcome: 'refused' as const }, 0],
])('the filter %j finds %i entries', (filter, total) => {
  fill(3)
  audit.record({ actor: { ...ada, name: 'leo', id: 'u2' }, action: 'request.refuse', subject: 'GET', outcome: 'refused' })
  expect(audit.list(1, 10, filter).total).toBe(total)
})

test('an export has each entry as a line, oldest first, and is an entry itself', () => {
  fill(2_500)
  const lines = [...exportAudit(audit, ada)].join('').split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 2_501 }, (_, i) => i + 1))
  expect(JSON.parse(String(lines.at(-1)))).toEqual({ ...audit.list(1, 1).entries[0], action: 'audit.export' })
})
