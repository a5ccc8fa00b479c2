import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AuditTable, type ShownChange } from '../../../../shared/web/audit/audit-table.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { type AuditEntry, auditQuery } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { AdminsOnly } from '../../frame/admins-only.tsx'
import { isAtLeast } from '../../frame/pages-of.ts'
import { usePeople } from '../../teamspace/people.ts'
import { auditAction, shownFacts } from './audit-words.ts'

export const AuditLogPage = () => (isAtLeast(useTeam().role, 'admin') ? <AuditLog /> : <AdminsOnly title="Audit log" />)

function AuditLog() {
  const { id: team } = useTeam()
  const { q = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const log = useQuery(auditQuery(team))
  const nameOf = usePeople(team)
  const changes = log.data?.map((entry) => shownChange(entry, nameOf))
  const shown = changes?.filter((change) => matches(change, q))
  return (
    <SettingsSection
      title="Audit log"
      about="The last 200 changes of this teamspace: who changed its members, keys, libraries and settings. Secrets are not stored."
    >
      <FilterInput
        label="Filter changes"
        placeholder="Filter by person, action or library"
        value={q}
        onChange={(text) => void navigate({ to: '.', search: text === '' ? {} : { q: text }, replace: true })}
      />
      {log.isLoadingError ? (
        <ErrorState error={log.error} what="The audit log cannot be loaded" retry={() => void log.refetch()} />
      ) : shown?.length === 0 ? (
        <EmptyState picture={q === '' ? 'list' : 'search'} title={q === '' ? 'No changes yet' : `Nothing matches “${q}”`}>
          {q === '' ? 'Each change of this teamspace is listed here.' : 'Search for a person, an action or a library.'}
        </EmptyState>
      ) : (
        <AuditTable changes={shown} isFetching={log.isFetching} />
      )}
    </SettingsSection>
  )
}

function shownChange(entry: AuditEntry, nameOf: (user: string) => string): ShownChange {
  const { at, who, what, outcome } = entry
  const [, user] = /^user (.+)$/.exec(who) ?? []
  return {
    at,
    actor: user === undefined ? who : nameOf(user),
    action: auditAction(what),
    subject: shownFacts(entry, nameOf),
    note: outcome !== 'done' && (
      <Text span inherit c="var(--warn)">
        {outcome === 'failed' ? '(failed)' : '(unfinished)'}
      </Text>
    ),
  }
}

const matches = ({ actor, action, subject }: ShownChange, q: string): boolean =>
  `${actor} ${action} ${subject}`.toLowerCase().includes(q.toLowerCase())
