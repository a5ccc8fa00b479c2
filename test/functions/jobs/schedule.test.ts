import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dynamoSalts } from '../../../functions/dynamo/counters/dynamo-salts.ts'
import { schedule } from '../../../functions/jobs/schedule.ts'
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
