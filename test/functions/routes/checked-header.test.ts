import { expect, onTestFinished, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { testHosted } from '../../fixtures/test-hosted.ts'

test('an answer of a library that was compared with its repository says when, and one of another library does not', async () => {
  const { add, close, get, git, hosted } = await testHosted()
  onTestFinished(close)
  await git.create('acme/checked', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  await add('acme/checked')
  const ask = (id: string) => get(`/api/v2/context?libraryId=${id}&query=lever`)
  const due = { key: '/acme/checked', dueAt: '2026-01-01T00:00:00.000Z' }
  await hosted.checks.plan(due.key, { schedule: 'off', dueAt: new Date(due.dueAt) })
  const taken = await hosted.checks.take(due, new Date('2099-01-01'))
  if (!taken) throw new Error('The check is not due.')
  expect((await ask('/acme/checked')).headers.get('x-carrel-checked')).toBeNull()
  const checkedAt = '2026-01-02T00:00:00.000Z'
  await hosted.checks.record(taken, { outcome: 'unchanged', checkedAt, failures: 0, schedule: 'off', dueAt: undefined })
  expect((await ask('/acme/checked')).headers.get('x-carrel-checked')).toBe(checkedAt)
  const missing = await ask('/acme/missing')
  expect([missing.status, missing.headers.get('x-carrel-checked')]).toEqual([404, null])
})
