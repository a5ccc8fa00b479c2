import type { Table } from '@lancedb/lancedb'
import { expect, test } from 'vitest'
import { hasLongRows } from '../../../shared/store/read-bounded.ts'

const failing = (message: string) => {
  const query = { where: () => query, select: () => query, limit: () => query, toArrow: () => Promise.reject(new Error(message)) }
  return { query: () => query, schema: async () => ({ fields: [] }) } as unknown as Table
}

test('a panic while long rows are searched for fails the read, and other failures are left to the read that follows', async () => {
  const table = failing('Panic in async function')
  for (let n = 0; n < 2; n++) await expect(hasLongRows(table)).rejects.toThrow('Panic')
  expect(await hasLongRows(failing('No field named tokens'))).toBe(false)
})
