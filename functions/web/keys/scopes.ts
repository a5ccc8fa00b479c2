import type { TeamKey } from '../api/teamspace-queries.ts'

export type Scope = TeamKey['scope']

export const scopeTexts: Record<Scope, { label: string; rights: string }> = {
  read: { label: 'Read', rights: 'Searches libraries and reads their documentation' },
  'read+add': { label: 'Read and add', rights: 'Also adds libraries and refreshes them' },
  admin: { label: 'Admin', rights: 'All that its role may do with the API' },
}
