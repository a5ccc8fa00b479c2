import { Group, NativeSelect, TextInput } from '@mantine/core'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { auditActions, auditOutcomes, type InstallAuditSearch } from './install-audit-search.ts'

type AuditFiltersProps = { search: InstallAuditSearch; change: (filters: InstallAuditSearch) => void }

const choices = (all: string, names: Record<string, string>) => [
  { value: '', label: all },
  ...Object.entries(names).map(([value, label]) => ({ value, label })),
]

/** Which entries of the audit log are shown and exported: what, by whom, on which library, how it ended and when. */
export function AuditFilters({ search, change }: AuditFiltersProps) {
  const set = (name: keyof InstallAuditSearch, value: string) =>
    change({ ...search, page: undefined, [name]: value || undefined })
  return (
    <Group gap="xs" align="end" role="search" aria-label="Audit log">
      <FilterInput
        label="Filter changes"
        placeholder="Filter by user, setting, key or library"
        value={search.q ?? ''}
        onChange={(text) => set('q', text)}
      />
      <NativeSelect
        aria-label="Action"
        data={choices('All actions', auditActions)}
        value={search.action ?? ''}
        onChange={(event) => set('action', event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="Outcome"
        data={choices('Allowed and refused', auditOutcomes)}
        value={search.outcome ?? ''}
        onChange={(event) => set('outcome', event.currentTarget.value)}
      />
      <TextInput label="Who" value={search.actor ?? ''} onChange={(event) => set('actor', event.currentTarget.value)} />
      <TextInput
        label="Library"
        placeholder="/owner/repo"
        value={search.library ?? ''}
        onChange={(event) => set('library', event.currentTarget.value)}
      />
      <TextInput
        label="From"
        type="date"
        value={search.from ?? ''}
        onChange={(event) => set('from', event.currentTarget.value)}
      />
      <TextInput label="To" type="date" value={search.to ?? ''} onChange={(event) => set('to', event.currentTarget.value)} />
    </Group>
  )
}
