import { expect, test } from 'vitest'
import { refusedConnections } from '../../../shared/http/refused-connections.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'

test('refused connections are one line in the log and a warning with what to raise', () => {
  const log = recordedLog()
  const refused = refusedConnections(log)
  expect(refused.warning()).toBeUndefined()
  for (let i = 0; i < 100; i++) refused.note()
  expect(log.troubles).toHaveLength(1)
  expect(refused.warning()).toMatch(/^The server refused 100 connections: .*\. Raise the limit of open files/)
})
