import { expect, test } from 'vitest'
import { matchingLibraries } from '../../../functions/web/pages/libraries/matching-libraries.ts'

const library = (id: string, more = {}) => ({
  id,
  title: `Title of ${id}`,
  description: '',
  state: 'finalized' as const,
  job: null,
  lastError: null,
  ...more,
})
const job = { id: 'j', state: 'running' as const, createdAt: '', dueAt: '', attempts: 0, progress: {} as never }
const libraries = [
  library('/acme/ready', { description: 'Opens the GATE' }),
  library('/acme/parsing', { job }),
  library('/acme/broken', { state: 'error', lastError: 'no document was found' }),
  library('/acme/stale', { lastError: 'the host does not respond' }),
  library('/acme/queued', { state: 'initial' }),
]
const ids = (q: string, state: '' | 'ready' | 'running' | 'failed' = '') =>
  matchingLibraries(libraries, { q, state }).map(({ id }) => id.slice('/acme/'.length))

test('libraries are found by id, title and description, without case', () => {
  expect(ids('ACME/par')).toEqual(['parsing'])
  expect(ids('title of /acme/b')).toEqual(['broken'])
  expect(ids('gate')).toEqual(['ready'])
  expect(ids('')).toHaveLength(5)
})

test('each library is in one state, and a failed refresh is failed although old content is served', () => {
  expect(ids('', 'ready')).toEqual(['ready'])
  expect(ids('', 'running')).toEqual(['parsing', 'queued'])
  expect(ids('', 'failed')).toEqual(['broken', 'stale'])
  expect(ids('gate', 'failed')).toEqual([])
})
