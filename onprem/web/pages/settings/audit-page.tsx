import { Button, Group, Pagination, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { utcDay } from '../../../../shared/time/utc-day.ts'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { AuditTable } from '../../../../shared/web/audit/audit-table.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'
import { settingsQuery } from '../../api/queries.ts'
import { auditAction } from './audit-action.ts'
import { AuditFilters } from './audit-filters.tsx'
import { DraftForm, type Field } from './draft-form.tsx'
import type { InstallAuditSearch } from './install-audit-search.ts'

const pageSize = 50

export function AuditPage() {
  const search = useSearch({ from: '/signed-in/frame/settings/audit-log' })
  const navigate = useNavigate({ from: '/settings/audit-log' })
  const change = (next: InstallAuditSearch) => void navigate({ search: next, replace: next.page === undefined })
  const { page = 1, ...filters } = search
  const query = queryOf(filters)
  const log = useQuery({
    queryKey: ['audit', query, page],
    queryFn: () => answerOf(api.audit.$get({ query: { ...query, page: String(page), pageSize: String(pageSize) } })),
    placeholderData: keepPreviousData,
  })
  const settings = useQuery(settingsQuery)
  const pages = Math.ceil((log.data?.total ?? 0) / pageSize)
  const isFiltered = Object.keys(query).length > 0
  return (
    <SettingsSection
      title="Audit log"
      about="Who did what, when and from where: changes, sign-ins, uses of keys and refused requests. Questions, values and secrets are not stored."
    >
      <AuditFilters search={search} change={change} />
      {log.isLoadingError ? (
        <ErrorState error={log.error} what="The audit log cannot be loaded" retry={() => void log.refetch()} />
      ) : log.data?.total === 0 ? (
        <EmptyState picture={isFiltered ? 'search' : 'list'} title={isFiltered ? 'Nothing matches' : 'No changes yet'}>
          {isFiltered ? 'Search for a user, a setting or a library.' : 'Each change of this install is listed here.'}
        </EmptyState>
      ) : (
        <AuditTable
          changes={log.data?.entries.map((entry) => ({
            ...entry,
            action: auditAction(entry.action),
            note: <EntryNote {...entry} />,
          }))}
          isFetching={log.isFetching}
        />
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={(next) => change({ ...search, page: next })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
      <Group>
        <Button
          component="a"
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          href={String(api.audit.export.$url({ query }))}
          download
        >
          {isFiltered ? 'Export these entries' : 'Export all entries'}
        </Button>
      </Group>
      {settings.data && (
        <Stack gap="xl">
          <DraftForm title="Retention and forwarding" fields={fields} settings={settings.data} />
        </Stack>
      )}
    </SettingsSection>
  )
}

const fields: readonly Field[] = [
  { name: 'audit.retentionDays', label: 'Days', description: 'Older entries are deleted. 0 keeps all' },
  {
    name: 'audit.syslog',
    label: 'Syslog',
    description: 'A collector that receives every entry. Empty sends none',
    placeholder: 'tls://logs.example.com:6514',
  },
  {
    name: 'audit.webhookUrl',
    label: 'Webhook',
    description: 'Receives every entry as signed JSON. It may hold a token, so it is not shown again',
    isSecret: true,
  },
  {
    name: 'audit.webhookKey',
    label: 'Signing key',
    description: 'Signs what the webhook receives: one word that the receiver knows, too',
    isSecret: true,
  },
  {
    name: 'audit.reads',
    label: 'Record reads',
    description: 'Who reads which library, without questions. The log grows with every answer',
    isSwitch: true,
  },
]

/** The filters as the API takes them: `to` is the first day that is not shown. */
function queryOf({ to, ...filters }: Omit<InstallAuditSearch, 'page'>) {
  const given = { ...filters, to: to && utcDay(to, 1) }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given
}

const EntryNote = ({ address, outcome }: { address: string; outcome: 'allowed' | 'refused' }) => (
  <>
    {address !== '' && address !== 'command line' && (
      <Text span inherit c="dimmed">
        from {address}{' '}
      </Text>
    )}
    {outcome === 'refused' && (
      <Text span inherit c="var(--bad)">
        refused
      </Text>
    )}
  </>
)
