import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dynamoSalts } from '../../../functions/dynamo/counters/dynamo-salts.ts'
import { budgetsMs, schedule } from '../../../functions/jobs/schedule.ts'
import { folderObjects } from '../../../functions/objects/folder-objects.ts'
import { testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'

test('the schedule deletes leftovers of jobs, and content that cannot be deleted is logged once and retried each time', async () => {
  const { ports, table, folder, git, queue, troubles, close } = await testWorker()
  onTestFinished(close)
  await git.create('local/left', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  await queue('local/left')
  const parsing = ports.catalog.parsing({ owner: 'local', repo: 'left' }, { worker: '', bundleBytes: () => 0 })
  await parsing.reserve('gdead-1', 'gone')
  const tried: string[] = []
  let stuck = true
  const drop = async (generation: string) => {
    tried.push(generation)
    if (stuck) throw new Error('the bucket refuses')
  }
  const runSchedule = schedule({
    ...ports,
    salts: dynamoSalts({ table: table.salts, now: ports.now }),
    objects: folderObjects(join(folder, 'objects'), async () => ''),
    snippets: { drop, format: 1 },
    retiredMs: 0,
    workers: 1,
  })
  const unowned = () => ports.catalog.unowned([], new Date())
  await runSchedule()
  await runSchedule()
  expect([tried, await unowned()]).toEqual([['gdead-1', 'gdead-1'], ['gdead-1']])
  expect(troubles.map(({ message }) => message)).toEqual(['unused content cannot be deleted'])
  stuck = false
  await runSchedule()
  expect([tried.length, await unowned()]).toEqual([3, []])
})

test('the snapshot comes first, and a task that hangs does not prevent the others', async () => {
  const { ports, table, folder, close } = await testWorker()
  onTestFinished(close)
  const order: string[] = []
  const salts = dynamoSalts({ table: table.salts, now: ports.now })
  const failures: unknown[] = []
  const log = { ...ports.log, error: (fields: object) => void failures.push((fields as { task?: string }).task) }
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const running = schedule({
    ...ports,
    log,
    salts: {
      ...salts,
      makeAhead: () => {
        order.push('salt')
        return new Promise(() => undefined)
      },
      forgetOld: async () => void order.push('old salts'),
    },
    catalog: {
      ...ports.catalog,
      snapshots: {
        ...ports.catalog.snapshots,
        async current() {
          if (!order.includes('snapshot')) order.push('snapshot')
          return ports.catalog.snapshots.current()
        },
      },
      unowned: async () => {
        order.push('sweep')
        return []
      },
    },
    objects: folderObjects(join(folder, 'objects'), async () => ''),
    snippets: { drop: async () => undefined, format: 1 },
    retiredMs: 0,
    workers: 1,
  })()
  const failed = running.then(
    () => undefined,
    (error: Error) => error.message,
  )
  await vi.waitFor(() => expect(order).toContain('salt'))
  await vi.advanceTimersByTimeAsync(budgetsMs.salts)
  expect(await failed).toBe('1 scheduled tasks failed')
  expect([order, failures]).toEqual([['snapshot', 'salt', 'old salts', 'sweep'], ['create the salt of tomorrow']])
})
