import type { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type InstallCatalog, sqliteCatalog } from '../../../../onprem/store/catalog/sqlite-catalog.ts'
import { type JobStore, sqliteJobs } from '../../../../onprem/store/jobs/job-store.ts'
import { parseLibraryId } from '../../../../shared/library.ts'
import { openDatabase } from '../../../../shared/store/database.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const libraries = 8_000
const generations = Array.from({ length: libraries }, (_, n) => `g${n}-abcdef`)
const now = () => new Date('2026-01-01T00:00:00Z')

function opened(): DatabaseSync {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  return db
}

function filled(): { catalog: InstallCatalog; jobs: JobStore } {
  const db = opened()
  const catalog = sqliteCatalog(db, now)
  for (const [n, generation] of generations.entries()) {
    const facts = { id: `/many/docs${n}`, title: '', description: '', branch: '', sourceUrl: '', private: false }
    const version = {
      version: '',
      ref: '',
      generation,
      commit: '',
      tokens: 1,
      snippets: 1,
      codeSnippets: 0,
      rules: [],
      format: 1,
    }
    catalog.reserve(generation, n)
    catalog.publish({ ...facts, aliases: [], settings: {}, imported: true }, [{ ...version, space: undefined }])
  }
  return { catalog, jobs: sqliteJobs(db, now) }
}

test('thousands of libraries are all found, queued and distinguished', () => {
  const { catalog, jobs } = filled()
  const orders = generations.map((_, n) => {
    return { library: { owner: 'many', repo: `docs${n}` }, kind: 'reindex' as const, request: {} }
  })
  expect(catalog.unowned(generations, now())).toEqual([])
  expect(jobs.enqueueAll(orders).every((each) => 'id' in each)).toBe(true)
  expect(jobs.activeOf('/many/docs')).toBeUndefined()
})

test('libraries are read from the database once until one of them changes', () => {
  const { catalog } = filled()
  const before = catalog.libraries()
  expect(catalog.libraries()).toBe(before)
  catalog.remove({ owner: 'many', repo: 'docs7' })
  const after = catalog.libraries()
  expect([before.length - after.length, after.some(({ id }) => id === '/many/docs7')]).toEqual([1, false])
  expect(catalog.libraries()).toBe(after)
})

test('a change reads only its own library again, and the list stays in order', () => {
  const { catalog } = filled()
  const facts = { description: '', branch: '', sourceUrl: '', private: false, aliases: [], settings: {}, imported: true }
  const publish = (id: string, title: string) => catalog.publish({ ...facts, id, title }, [])
  const before = catalog.libraries()
  publish('/many/DOCS7', 'Seven')
  publish('/many/docs7a', 'New')
  publish('/zoo/bears', 'Last')
  catalog.remove({ owner: 'many', repo: 'docs70' })
  catalog.remove({ owner: 'many', repo: 'never' })
  const after = catalog.libraries()
  const ids = before.map(({ id }) => id)
  const expected = [...ids.filter((id) => !/docs(7|70)$/.test(id)), '/many/DOCS7', '/many/docs7a', '/zoo/bears']
  const lower = (id: string) => id.toLowerCase()
  expect(after.map(({ id }) => id)).toEqual(expected.sort((a, b) => (lower(a) < lower(b) ? -1 : 1)))
  expect(after.find(({ id }) => id === '/many/DOCS7')).toMatchObject({ title: 'Seven', totalSnippets: 1 })
  const kept = new Set(before)
  expect(after.filter((each) => !kept.has(each)).map(({ title }) => title)).toEqual(['Seven', 'New', 'Last'])
})

test('a job of a version is found by its library, and a job of a library with a longer name is not', () => {
  const jobs = sqliteJobs(opened(), now)
  const add = (key: string) =>
    jobs.enqueueAll([{ library: parseLibraryId(key), kind: 'import', request: { staged: 'x', origin: '' } }])
  for (const key of ['/a/docs-more', '/a/docsA', '/a/docs.js', '/a/docs~', '/a/doc@v1']) add(key)
  expect(jobs.activeOf('/a/docs')).toBeUndefined()
  add('/a/docs@v1')
  expect(jobs.activeOf('/a/docs')).toMatchObject({ project: '/a/docs@v1' })
})
