import { expect, test } from 'vitest'
import { rebuildOutdated } from '../../../onprem/actions/enqueue-reindex.ts'
import { sqliteJobs } from '../../../onprem/store/jobs/job-store.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

test('an outdated library that is being parsed is rebuilt after that parse has failed', () => {
  const library = { owner: 'acme', repo: 'docs' }
  const db = openDatabase(tempDir())
  const jobs = sqliteJobs(db, () => new Date())
  const rebuildNext = rebuildOutdated({
    catalog: { outdated: () => [library], servedBy: () => [] },
    jobs,
    snippets: { format: 2, damaged: () => [] },
    log: silentLog,
  })
  const request = { repoUrl: 'https://example.com/acme/docs' } as never
  const { id } = jobs.enqueue({ library, kind: 'parse', request })
  jobs.claim()
  rebuildNext()
  jobs.finish(id, { state: 'failed' })
  rebuildNext()
  expect(jobs.active()).toMatchObject([{ project: '/acme/docs', kind: 'reindex', state: 'queued' }])
  db.close()
})
