import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generationFormat } from '../../shared/store/generation-format.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { runServer, startServer } from '../fixtures/server-process.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/until.ts'

type Release = { version: string; lancedb: string; key: string; username: string; password: string }

/** Data directories that `tools/make-release-data.ts` made with the code of a release. */
const folder = new URL('../fixtures/releases/', import.meta.url).pathname
const releases = globSync('*.json', { cwd: folder }).map((file) => basename(file, '.json'))

function dataOf(name: string): { dataDir: string; release: Release } {
  const dataDir = tempDir()
  execFileSync('tar', ['-xzf', join(folder, `${name}.tar.gz`), '-C', dataDir])
  return { dataDir, release: JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) }
}

/** Opens the database of a stopped server. */
function withDatabase<T>(dataDir: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(dataDir, 'carrel.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const schemaOf = (db: DatabaseSync) => Number(db.prepare('PRAGMA user_version').get()?.user_version)

test('the data of each release, of an older schema, format and LanceDB, is in the fixtures', () => {
  const made = releases.map((name) => {
    const { dataDir, release } = dataOf(name)
    return [name, release.version, release.lancedb, withDatabase(dataDir, schemaOf)]
  })
  expect(made.toSorted()).toEqual([
    ['0.1.0', '0.1.0', '0.30.0', 12],
    ['2.0.0', '2.0.0', '0.31.0', 15],
  ])
})

describe.each(releases)('the data directory of release %s', (name) => {
  test('is upgraded by a start: sign-in, keys, settings, usage, jobs and content are as before', async () => {
    const { dataDir, release } = dataOf(name)
    const server = await startServer({ dataDir, key: release.key })
    expect(await server.call('GET', '/api/settings')).toMatchObject({
      status: 200,
      body: { 'permissions.anonymousRefresh': true, 'github.baseUrl': expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) },
    })
    const { body: metrics } = await server.call('GET', '/api/v2/libs/metrics?libraryId=/acme/widgets')
    expect(metrics.total).toEqual({ page: 0, txt: 1, mcp: 0, cli: 0 })
    const { body: users } = await server.call('GET', '/api/users')
    expect(users.users).toMatchObject([{ username: 'ada' }, { username: 'mia' }])
    const signIn = await fetch(`${server.url}/api/auth/session/sign-in/username`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ username: release.username, password: release.password }),
    })
    expect(signIn.status).toBe(200)
    const { body: list } = await server.call('GET', '/api/jobs?sort=newest')
    const old = (list.jobs as { kind: string; project: string; state: string }[]).slice(-2)
    expect(old).toMatchObject([
      { project: '/acme/imported', kind: 'import', state: 'done' },
      { project: '/acme/widgets', kind: 'parse', state: 'done' },
    ])

    const ask = async () => [
      await server.context('/acme/widgets', 'how do I paint'),
      await server.context('/acme/widgets@v1.0.0', 'how do I paint'),
      await server.context('/acme/imported', 'hammer'),
    ]
    const answers = [/brush paints a widget/, /brush paints a widget/, /The imported hammer/].map((text) =>
      expect.stringMatching(text),
    )
    expect(await ask()).toEqual(answers)
    // Content of an older format is rebuilt in the background, and is served until then.
    const isRebuilt = async () => {
      const { body } = await server.call('GET', '/api/jobs?kind=reindex')
      const jobs = body.jobs as { state: string }[]
      return jobs.length === 2 && jobs.every(({ state }) => state === 'done')
    }
    await until(isRebuilt)
    expect(await ask()).toEqual(answers)
    expect(await server.end()).toBe(0)

    const [schema, generations] = withDatabase(dataDir, (db) => [
      schemaOf(db),
      db.prepare('SELECT DISTINCT generation FROM versions').all(),
    ])
    expect(schema).toBe(migrations.length)
    const store = lanceSnippets(join(dataDir, 'snippets'))
    onTestFinished(() => store.close())
    for (const { generation } of generations) expect(await store.formatOf(String(generation))).toBe(generationFormat)
  })
})

test('a data directory of a newer version is left alone, with one sentence that says what to do', async () => {
  const { dataDir, release } = dataOf('2.0.0')
  const server = await startServer({ dataDir, key: release.key })
  await server.end()
  withDatabase(dataDir, (db) => db.exec(`PRAGMA user_version = ${migrations.length + 1}`))
  const files = () => globSync('**/*', { cwd: dataDir }).toSorted()
  const before = files()
  expect(await runServer({ DATA_DIR: dataDir, PORT: '0' })).toEqual({
    code: 1,
    stderr: `carrel: The database ${join(dataDir, 'carrel.db')} was written by a newer version of Carrel. Start that version, or restore a copy of DATA_DIR from before the upgrade.\n`,
  })
  expect(withDatabase(dataDir, schemaOf)).toBe(migrations.length + 1)
  expect(files().filter((file) => !file.startsWith('server.lock'))).toEqual(
    before.filter((file) => !file.startsWith('server.lock')),
  )
})
