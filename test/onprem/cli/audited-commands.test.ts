import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { laterGenerations } from '../../../onprem/store/catalog/later-generations.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { openDataDir } from '../../../shared/store/open-data-dir.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'

const folder = mkdtempSync(join(tmpdir(), 'carrel-test-'))
const dataDir = join(folder, 'data')
const pem = join(folder, 'other.pub.pem')
const password = 'correct-horse-battery\n'
let db: DatabaseSync
const ids = { key: '', license: '' }

const carrel = (...words: string[]) => runCarrel(words, { dataDir, input: password })

beforeAll(async () => {
  openDatabase(openDataDir(dataDir)).close()
  writeFileSync(pem, makeKeyPair().publicPem)
  await carrel('settings', 'set', 'llm.provider', 'openai')
  await carrel('settings', 'set', 'llm.apiKey', 'sk-0123456789')
  await carrel('users', 'create', 'ada', '--role', 'admin')
  await carrel('secrets', 'set', 'old', '-')
  for (const name of ['leo', 'ann']) await carrel('users', 'create', name)
  await carrel('keys', 'create', '--name', 'spare')
  const issued = await carrel('license', 'issue', '--kind', 'online', '--customer', 'ACME')
  db = new DatabaseSync(join(dataDir, 'carrel.db'))
  laterGenerations(db, () => new Date()).setAside(['g9-a1'], [])
  ids.key = String(db.prepare("SELECT id FROM keys WHERE name = 'spare'").get()?.id)
  ids.license = /^carrel: license (\S+) for/.exec(issued.err)?.[1] ?? ''
})
afterAll(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

type Recorded = { command: string; words?: () => string[]; entries: [action: string, subject: unknown][] }

/** Every command that changes the install without its API. `words` are added to the command. */
const commands: Recorded[] = [
  { command: 'settings set llm.model gpt', entries: [['setting.change', 'llm.model']] },
  {
    command: 'settings unset llm.provider',
    entries: [
      ['setting.change', 'llm.provider'],
      ['setting.drop', 'llm.apiKey'],
    ],
  },
  { command: 'users set ann --end-sessions', entries: [['user.endSessions', 'ann']] },
  { command: 'keys create --name new', entries: [['key.create', expect.stringMatching(/^new \(carrel_op_/)]] },
  {
    command: 'keys revoke',
    words: () => [ids.key],
    entries: [['key.revoke', expect.stringMatching(/^spare \(carrel_op_/)]],
  },
  { command: 'secrets set work -', entries: [['secret.set', 'work']] },
  { command: 'secrets remove old', entries: [['secret.remove', 'old']] },
  { command: 'users create mia', entries: [['user.create', 'mia']] },
  {
    command: 'users set leo --rename leon --revoke-keys',
    entries: [
      ['user.username', 'leo'],
      ['user.revokeKeys', 'leo'],
    ],
  },
  { command: 'users delete ann', entries: [['user.delete', 'ann']] },
  { command: 'content remove', entries: [['content.remove', '1 tables']] },
  {
    command: 'license issue --kind online --customer Other',
    entries: [['license.issue', expect.stringMatching(/^Other \(/)]],
  },
  { command: 'license revoke', words: () => [ids.license], entries: [['license.revoke', expect.any(String)]] },
  {
    command: 'license trust',
    words: () => [pem],
    entries: [['license.trust', expect.stringMatching(/^SHA-256 [0-9a-f]{64}$/)]],
  },
]
const run = ({ command, words }: Recorded) => carrel(...command.split(' '), ...(words?.() ?? []))

const rows = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()
const tables = [
  'settings',
  'named_secrets',
  'users',
  'accounts',
  'keys',
  'later_generations',
  'licenses',
  'trusted_license_keys',
  'audit',
]

test.each(commands)('carrel $command leaves no change if it cannot be recorded', async (command) => {
  const before = tables.map(rows)
  db.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END")
  try {
    expect(await run(command)).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed') })
  } finally {
    db.exec('DROP TRIGGER full')
  }
  expect(tables.map(rows)).toEqual(before)
})

test.each(commands)('carrel $command is recorded', async (command) => {
  const before = rows('audit').length
  expect(await run(command)).toMatchObject({ code: 0 })
  const recorded = rows('audit').slice(before)
  expect(recorded).toMatchObject(command.entries.map(([action, subject]) => ({ actor: 'command line', action, subject })))
})
