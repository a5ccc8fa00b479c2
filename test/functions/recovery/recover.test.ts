import { expect, test } from 'vitest'
import { type RecoverPorts, recover } from '../../../functions/recovery/recover.ts'

test('a recovery without acts still publishes the list of libraries, and looks an hour further back than the restored time', async () => {
  const calls: string[] = []
  const ports = {
    journal: {
      async since(time: Date) {
        calls.push(`acts since ${time.toISOString()}`)
        return []
      },
    },
    catalog: {
      async *all() {
        yield { id: '/acme/kit', versions: new Map([['', { generation: 'g1' }]]) }
      },
    },
    sessions: { clear: async () => void calls.push('sessions ended') },
    undeleteGeneration: async (generation: string, since: Date) => {
      calls.push(`${generation} since ${since.toISOString()}`)
      return { readable: 0, undeleted: 0 }
    },
    publishNames: async ({ whole }: { whole: boolean }) => void calls.push(whole ? 'published' : 'changes published'),
  } as unknown as RecoverPorts
  const recovered = await recover(ports, new Date('2026-11-20T10:00:00Z'))
  expect(recovered).toEqual({ libraries: 1, undeleted: 0, lost: ['/acme/kit'], repeated: 0, failed: [] })
  expect(calls).toEqual([
    'sessions ended',
    'acts since 2026-11-20T09:00:00.000Z',
    'g1 since 2026-11-20T09:00:00.000Z',
    'published',
  ])
})
