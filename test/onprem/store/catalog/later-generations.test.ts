import { expect, onTestFinished, test } from 'vitest'
import { laterGenerations } from '../../../../onprem/store/catalog/later-generations.ts'
import { sqliteCatalog } from '../../../../onprem/store/catalog/sqlite-catalog.ts'
import { sqliteJobs } from '../../../../onprem/store/jobs/job-store.ts'
import { openDatabase } from '../../../../shared/store/database.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

test('content of a job that was queued when the database was backed up is set aside until it is released', () => {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date()
  const catalog = sqliteCatalog(db, now)
  const { id } = sqliteJobs(db, now).enqueue({
    library: { owner: 'acme', repo: 'docs' },
    kind: 'import',
    request: { staged: 'abc', origin: 'test' },
  })
  const [written, crashed, later] = [`g${id}-aa`, `g${id}-bb`, `g${id + 7}-cc`]
  catalog.reserve(crashed, id + 100, '')
  const stored = [written, crashed, later]
  const generations = laterGenerations(db, now)
  expect(generations.setAside(stored, [])).toEqual([written, later])
  expect(generations.setAside(stored, stored)).toEqual([])
  expect(catalog.unowned(stored, now())).toEqual([crashed])
  generations.release()
  expect([generations.list(), generations.setAside(stored, stored)]).toEqual([[], []])
  expect(catalog.unowned(stored, now())).toEqual(stored)
})

test('a version that a resumed job publishes releases only the generations that the job wrote for it', () => {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date()
  const catalog = sqliteCatalog(db, now)
  const request = { repoUrl: 'https://github.com/acme/docs' } as never
  const { id } = sqliteJobs(db, now).enqueue({ library: { owner: 'acme', repo: 'docs' }, kind: 'parse', request })
  const [content, version, unfinished, again] = [`g${id}-aa`, `g${id}-bb`, `g${id}-cc`, `g${id}-dd`]
  catalog.reserve(content, id, '')
  catalog.reserve(version, id, 'v1')
  catalog.reserve(unfinished, id, 'v2')
  const generations = laterGenerations(db, now)
  expect(generations.setAside([content, version, unfinished], [content, version])).toEqual([content, version])
  catalog.reserve(again, id, '')
  const facts = {
    id: '/acme/docs',
    title: '',
    description: '',
    branch: '',
    sourceUrl: '',
    private: false,
    aliases: [],
    settings: {},
  }
  const counts = { tokens: 0, snippets: 0, codeSnippets: 0 }
  catalog.publish(facts, [{ version: '', ref: '', generation: again, commit: '', ...counts, rules: [], format: 1 }])
  expect(generations.list().map(({ name }) => name)).toEqual([version])
  expect(catalog.unowned([content, version, unfinished, again], now())).toEqual([content, unfinished])
})
