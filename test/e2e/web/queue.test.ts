import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { adminVisit, endVisits, memberVisit, type Visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
let freeBytes = Number.POSITIVE_INFINITY
beforeAll(async () => {
  install = await testInstall({ diskSpace: () => ({ freeBytes, sizeBytes: 8_000_000_000 }), limits: { diskCheckMs: 20 } })
  const page = (n: number) => [`docs/page-${n}.md`, `# Page ${n}\n\nWords about lever ${n}.\n`]
  const files = {
    'README.md': '# Widgets\n\nSmall widgets.\n',
    ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => page(n))),
  }
  await install.git.create('acme/widgets', { files, tags: ['v1.0.0'] })
  await install.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nSlow words.\n' } })
  await install.git.create('acme/bare', { files: { 'main.c': 'int main;' } })
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const row = ({ page }: Visit, name: string) => page.getByRole('listitem').filter({ has: page.getByRole('button', { name }) })

test('jobs are watched, cancelled, retried, filtered and read', async () => {
  const visit = await adminVisit(install)
  const { page, open, inspect, problems } = visit
  await open('/queue')
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor()
  await inspect('queue-empty')

  install.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const slow = await install.queue('acme/slow')
  await install.queue('acme/widgets', { versions: ['v1.0.0'] })
  await row(visit, 'acme/slow').getByText('Running').waitFor()
  await row(visit, 'acme/widgets').getByText('Waiting for 1 other job').waitFor()
  await page.getByRole('link', { name: 'Parse Queue, 2 unfinished' }).waitFor()
  expect(await page.getByRole('progressbar', { name: 'Progress of job 1' }).count()).toBe(1)
  await page.getByRole('button', { name: 'acme/slow' }).click()
  await page.getByRole('log').getByText('Run 1.').waitFor()
  expect(page.url()).toContain(`job=${slow}`)
  await inspect('queue-running')

  await page.getByRole('button', { name: 'Cancel job' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()
  await row(visit, 'acme/slow').getByText('Cancelled', { exact: true }).waitFor()
  await row(visit, 'acme/widgets').getByText('Done').waitFor()
  install.git.misbehave('acme/slow')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('region', { name: 'Job 3' }).getByText('Snippets after').waitFor()
  await page.getByRole('button', { name: 'acme/widgets' }).click()
  await page.getByRole('region', { name: 'Job 2' }).getByRole('cell', { name: 'v1.0.0' }).waitFor()
  await inspect('queue-details')

  await open('/')
  await page.getByRole('link', { name: 'Parse Queue', exact: true }).waitFor()
  const failed = await install.queue('acme/bare')
  await page.getByRole('link', { name: 'Parse Queue, a job failed since your last visit' }).click()
  await page.getByRole('link', { name: 'Parse Queue', exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed')
  await row(visit, 'acme/bare').waitFor()
  await expect.poll(() => page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').count()).toBe(1)
  await page.getByRole('button', { name: 'acme/bare' }).press('Enter')
  await page.getByRole('alert').getByText('Add the repository again with the folder of its documentation').waitFor()
  await inspect('queue-failed')
  await page.reload()
  await page.getByRole('region', { name: `Job ${failed}` }).waitFor()
  await page.keyboard.press('Escape')
  await page.goBack()
  await page.getByRole('region', { name: `Job ${failed}` }).waitFor()
  await page
    .getByRole('searchbox')
    .or(page.getByRole('textbox', { name: 'Library' }))
    .fill('nothing like it')
  await page.getByRole('heading', { name: 'No job matches' }).waitFor()
  expect(page.url()).toContain('q=nothing')
  expect(problems).toEqual([])
  await visit.close()
})

test('the row and the report of a refresh show how many files were read and kept, or that a commit is unchanged', async () => {
  const { git } = install
  const words = (word: string) => `# ${word}\n\nThe ${word} turns.\n`
  await git.create('acme/kept', { files: { 'a.md': words('lever'), 'b.md': words('wheel') }, tags: ['v1'] })
  await install.parse('acme/kept', { versions: ['v1'] })
  await git.commit('acme/kept', { files: { 'a.md': words('crank') } })
  const [changed, same] = [await install.refresh('acme/kept'), await install.refresh('acme/kept')]
  const visit = await memberVisit(install)
  const { page, open, problems } = visit
  await open(`/queue?job=${changed.id}`)
  const rows = row(visit, 'acme/kept')
  await rows.getByText('4 snippets · 1 file read, 1 unchanged file kept', { exact: true }).waitFor()
  await rows.getByText('Unchanged, 4 snippets', { exact: true }).waitFor()
  const report = page.getByRole('region', { name: `Job ${changed.id}` })
  await report.getByText('Unchanged files kept').waitFor()
  expect(await report.getByRole('row', { name: 'Default 1 of 2 2 0' }).count()).toBe(1)
  await open(`/queue?job=${same.id}`)
  await page
    .getByRole('region', { name: `Job ${same.id}` })
    .getByText('Snippets after')
    .waitFor()
  expect(await page.getByText('Unchanged files kept').count()).toBe(0)
  expect(problems).toEqual([])
  await visit.close()
})

test('a log of 100,000 lines opens at its end, and follows only a reader who is there', async () => {
  const visit = await memberVisit(install)
  const { page, open, inspect, problems } = visit
  install.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const id = await install.queue('acme/slow', { force: true })
  await until(() => install.app.jobs.get(id)?.state === 'parsing')
  const db = openDatabase(install.dataDir)
  const fill = (from: number, to: number) =>
    db.exec(`INSERT INTO job_log (job, at, line) SELECT ${id}, '2026-01-01T00:00:00.000Z', 'line ' || value
      FROM (WITH RECURSIVE n(value) AS (SELECT ${from} UNION ALL SELECT value + 1 FROM n WHERE value < ${to}) SELECT value FROM n)`)
  const hostile = '<img src=x onerror="document.title=1"> gnp.exe'
  install.app.jobs.addLogLine(id, hostile.replace('gnp', '\u202Egnp'))
  fill(1, 100_000)
  await open(`/queue?job=${id}`)
  const log = page.getByRole('log')
  await log.getByText('line 100000', { exact: true }).waitFor()
  expect(await log.locator('bdi').count()).toBeLessThan(100)
  await inspect('queue-log')

  fill(100_001, 101_500)
  install.app.jobs.progress(id, { filesDone: 1, filesTotal: 9, snippets: 3, statusMessage: 'Reading files' })
  await log.getByText('line 101500', { exact: true }).waitFor()
  await log.evaluate((box) => box.scrollTo({ top: 0 }))
  await log.getByText('line 1', { exact: true }).waitFor()
  await log.getByText(hostile).waitFor()
  expect(await page.title()).toBe('Parse Queue · Carrel')
  fill(101_501, 101_600)
  install.app.jobs.progress(id, { filesDone: 2, filesTotal: 9, snippets: 3, statusMessage: 'Reading files' })
  const lines = install.app.jobs.logPage(id, 0).total
  await page.getByText(`${lines.toLocaleString('en-GB')} lines, not following`).waitFor()
  expect(await log.getByText('line 1', { exact: true }).isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Follow' }).click()
  await log.getByText('line 101600', { exact: true }).waitFor()
  db.close()
  await install.app.worker.cancel(id)
  install.git.misbehave('acme/slow')
  await row(visit, 'acme/slow').getByText('Cancelled', { exact: true }).first().waitFor()
  expect(problems).toEqual([])
  await visit.close()
})

test('an answer that is older than an event does not hide the lines of the log that the event brought', async () => {
  const visit = await memberVisit(install)
  const { page, open, problems, close } = visit
  install.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const id = await install.queue('acme/slow', { force: true })
  await until(() => install.app.jobs.get(id)?.state === 'parsing')
  await open(`/queue?job=${id}`)
  await page.getByText(/^\d+ lines?, following$/).waitFor()
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await page.route(/\/api\/jobs(\?|\/\d+$)/, async (route) => {
    const response = await route.fetch()
    held.resolve()
    await release.promise
    await route.fulfill({ response }).catch(() => {})
  })
  const other = await install.queue('acme/widgets', { force: true })
  await held.promise
  install.app.jobs.addLogLine(id, 'a line of the event')
  install.app.jobs.progress(id, { filesDone: 1, filesTotal: 9, snippets: 3, statusMessage: 'Reading files' })
  await page.getByRole('log').getByText('a line of the event').waitFor()
  release.resolve()
  const { total } = install.app.jobs.logPage(id, 0)
  await row(visit, 'acme/widgets').getByText('Waiting for 1 other job').waitFor()
  await page.getByText(`${total} lines, following`).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await install.app.worker.cancel(other)
  await install.app.worker.cancel(id)
  install.git.misbehave('acme/slow')
  expect(problems).toEqual([])
  await close()
})

test('a job that waits for disk space shows that, and runs when there is space', async () => {
  const visit = await memberVisit(install)
  await visit.open('/queue')
  freeBytes = 312_000_000
  await install.git.create('acme/later', { files: { 'README.md': '# Later\n\nLate words.\n' } })
  await install.queue('acme/later')
  await row(visit, 'acme/later').getByText('Waiting for disk space: 312 MB free, 1.0 GB wanted').waitFor()
  freeBytes = Number.POSITIVE_INFINITY
  await row(visit, 'acme/later').getByText('Done').waitFor()
  expect(visit.problems).toEqual([])
  await visit.close()
})
