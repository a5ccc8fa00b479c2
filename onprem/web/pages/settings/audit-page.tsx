import { Pagination } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import type { AuditSearch } from '../../../../shared/web/audit/audit-search.ts'
import { AuditTable } from '../../../../shared/web/audit/audit-table.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'
import { auditAction } from './audit-action.ts'

const pageSize = 50

export function AuditPage() {
  const { q = '', page = 1 } = useSearch({ from: '/signed-in/frame/settings/audit-log' })
  const navigate = useNavigate({ from: '/settings/audit-log' })
  const change = (search: AuditSearch) => void navigate({ search, replace: 'q' in search })
  const log = useQuery({
    queryKey: ['audit', q, page],
    queryFn: () => answerOf(api.audit.$get({ query: { q, page: String(page), pageSize: String(pageSize) } })),
    placeholderData: keepPreviousData,
  })
  const pages = Math.ceil((log.data?.total ?? 0) / pageSize)
  return (
    <SettingsSection
      title="Audit log"
      about="Who changed settings, permissions, users, keys, policies and libraries. Values and secrets are not stored."
    >
      <FilterInput
        label="Filter changes"
        placeholder="Filter by user, setting, key or library"
        value={q}
        onChange={(text) => change({ q: text || undefined })}
      />
      {log.isLoadingError ? (
        <ErrorState error={log.error} what="The audit log cannot be loaded" retry={() => void log.refetch()} />
      ) : log.data?.total === 0 ? (
        <EmptyState picture={q === '' ? 'list' : 'search'} title={q === '' ? 'No changes yet' : `Nothing matches “${q}”`}>
          {q === '' ? 'Each change of this install is listed here.' : 'Search for a user, a setting or a library.'}
        </EmptyState>
      ) : (
        <AuditTable
          changes={log.data?.entries.map((entry) => ({ ...entry, action: auditAction(entry.action) }))}
          isFetching={log.isFetching}
        />
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={(next) => change({ ...(q !== '' && { q }), page: next })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </SettingsSection>
  )
}
