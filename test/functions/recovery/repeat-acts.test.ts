import { expect, test } from 'vitest'
import { folderObjects } from '../../../functions/objects/folder-objects.ts'
import { type Act, objectJournal } from '../../../functions/recovery/journal.ts'
import { type RepeatActsPorts, repeatActs } from '../../../functions/recovery/repeat-acts.ts'
import { AppError } from '../../../shared/errors.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

function testJournal() {
  let time = new Date('2026-11-20T10:00:00Z')
  const objects = folderObjects(tempDir(), async () => '')
  const journal = objectJournal({ objects, now: () => time })
  const at = (text: string) => {
    time = new Date(text)
  }
  return { journal, at }
}

test('only acts since the time of the restore are repeated, and an act counts from its last time', async () => {
  const { journal, at } = testJournal()
  const before: Act = { kind: 'usage-erased', id: '/acme/before' }
  const again: Act = { kind: 'key-revoked', id: 'again' }
  await journal.note(before)
  await journal.note(again)
  at('2026-11-21T10:00:00Z')
  await journal.note(again)
  await journal.note({ kind: 'license-revoked', id: 'a/../b' })
  const acts = await journal.since(new Date('2026-11-21T10:00:00Z'))
  expect(acts).toHaveLength(2)
  expect(acts).toEqual(expect.arrayContaining([again, { kind: 'license-revoked', id: 'a/../b' }]))
})

test('acts are repeated in the order of their times, and of a change that was reversed only the last', async () => {
  const { journal, at } = testJournal()
  const ids = Array.from({ length: 9 }, (_, index) => `team user-${index}`)
  await journal.note({ kind: 'role-changed', id: 'team ann', to: 'developer' })
  for (const [index, id] of ids.entries()) {
    at(`2026-11-20T1${index}:30:00Z`)
    await journal.note({ kind: 'role-changed', id, to: 'none' })
  }
  at('2026-11-20T20:00:00Z')
  await journal.note({ kind: 'role-changed', id: 'team ann', to: 'owner' })
  const last: Act = { kind: 'role-changed', id: 'team ann', to: 'owner' }
  expect(await journal.since(new Date(0))).toEqual([...ids.map((id) => ({ kind: 'role-changed', id, to: 'none' })), last])
})

test('an act that cannot be repeated now is reported, and the others are repeated', async () => {
  const { journal } = testJournal()
  await journal.note({ kind: 'library-removed', id: '/acme/busy' })
  await journal.note({ kind: 'library-removed', id: '/acme/unknown' })
  await journal.note({ kind: 'license-revoked', id: 'stolen' })
  await journal.note({ kind: 'teamspace-deleted', id: 'made-later' })
  const revoked: string[] = []
  const ports = {
    journal,
    licenses: { revoke: async (id: string) => revoked.push(id) > 0 },
    catalog: {
      record: async ({ repo }: { repo: string }) =>
        repo === 'busy' ? { key: '/acme/busy', library: { id: '/acme/busy' }, versions: new Map() } : undefined,
    },
    deleteTeamspace: async () => Promise.reject(new AppError('team_not_found', 'There is no such teamspace.')),
    jobs: { find: async () => ({ state: 'running' }) },
  } as unknown as RepeatActsPorts
  const { repeated, failed } = await repeatActs(ports, new Date(0))
  expect([repeated, revoked]).toEqual([3, ['stolen']])
  expect(failed).toEqual([
    { kind: 'library-removed', id: '/acme/busy', message: expect.stringContaining('has a job that is running') },
  ])
})

test('a failure of the table stops the repetition', async () => {
  const { journal } = testJournal()
  await journal.note({ kind: 'license-revoked', id: 'stolen' })
  const revoke = async () => Promise.reject(new Error('throttled'))
  const ports = { journal, licenses: { revoke } } as unknown as RepeatActsPorts
  await expect(repeatActs(ports, new Date(0))).rejects.toThrow('throttled')
})
