import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../shared/store/migrations.ts'
import { signIn } from '../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

/** "Crrl", which marks a database of Carrel. */
const applicationId = 0x4372726c

/** An install whose database was last written by a version before the first migration that contains `since`, with these rows. */
async function installBefore(since: string, rows: string): Promise<TestInstall> {
  const first = await testInstall()
  await first.stop()
  for (const name of readdirSync(first.dataDir))
    if (name.startsWith('carrel.db')) rmSync(join(first.dataDir, name), { recursive: true })
  const db = new DatabaseSync(join(first.dataDir, 'carrel.db'))
  const steps = migrations.findIndex((sql) => sql.includes(since))
  for (const sql of migrations.slice(0, steps)) db.exec(sql)
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps}; PRAGMA journal_mode = wal`)
  db.exec(rows)
  db.close()
  const install = await testInstall({ reopen: first })
  onTestFinished(() => install.close())
  return install
}

async function setupOf(install: TestInstall) {
  const { steps, complete } = (await install.call('GET', '/api/setup')).body as {
    steps: { name: string; done: boolean; skipped: boolean }[]
    complete: boolean
  }
  return { complete, steps: steps.map(({ name, done, skipped }) => `${name} ${done ? 'done' : skipped ? 'skipped' : 'open'}`) }
}

const admin = { username: 'ada', password: 'a long password' }
const library = `
  INSERT INTO libraries (key, id, title, description, branch, source_url, stars, trust_score, aliases, settings, private, imported, generated)
    VALUES ('/acme/anvil', '/acme/anvil', 'Anvil', '', 'main', '', 0, 0, '[]', '{}', 0, 1, 0);`
const usage = (mcp: number) => `INSERT INTO usage_days VALUES ('/acme/anvil', '2026-01-01', 1, 0, ${mcp}, 0);`
const user = (hash: string) => `
  INSERT INTO users (id, username, name, email, role, created_at, updated_at)
    VALUES ('1', 'ada', 'ada', '1@users.invalid', 'admin', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
  INSERT INTO accounts (id, account_id, provider_id, user_id, password, created_at, updated_at)
    VALUES ('1', '1', 'credential', '1', '${hash}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');`

test.each([
  [
    'without a library asks for a question and an agent, and keeps the steps that were skipped',
    "INSERT INTO skipped_steps VALUES ('llm'), ('git');",
    {
      complete: false,
      steps: ['credentials done', 'library open', 'ask open', 'connect open', 'llm skipped', 'embedding open', 'git skipped'],
    },
  ],
  [
    'whose admin skipped the library is complete, although the models are open',
    "INSERT INTO skipped_steps VALUES ('library');",
    {
      complete: true,
      steps: ['credentials done', 'library skipped', 'ask open', 'connect open', 'llm open', 'embedding open', 'git open'],
    },
  ],
  [
    'with a library is not asked for a question or an agent again',
    library,
    expect.objectContaining({ steps: expect.arrayContaining(['ask skipped', 'connect skipped']) }),
  ],
  [
    'with questions of pages and programs has asked, and its agent is still to be connected',
    usage(0),
    expect.objectContaining({ steps: expect.arrayContaining(['ask done', 'connect open']) }),
  ],
  [
    'with questions of agents has asked and has connected one',
    library + usage(3),
    expect.objectContaining({ steps: expect.arrayContaining(['ask done', 'connect done']) }),
  ],
])('an install of the old order of steps %s', async (_, rows, expected) => {
  const install = await installBefore('CREATE TABLE reached_steps', user('') + rows)
  expect(await setupOf(install)).toEqual(expected)
})

test('a user of a database that does not know who set a password is not asked to change it', async () => {
  const other = await testInstall()
  onTestFinished(() => other.close())
  const install = await installBefore('must_change_password', user(await other.app.passwords.hash(admin.password)))
  const cookie = await signIn(install, admin)
  expect((await install.ask('/api/keys', { headers: { cookie } })).status).toBe(200)
  expect((await install.call('GET', '/api/users')).body).toMatchObject({
    users: [{ username: 'ada', mustChangePassword: false }],
  })
})
