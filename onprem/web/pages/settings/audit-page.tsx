import { CloseButton, Pagination, Skeleton, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { auditAction } from './audit-action.ts'
import styles from './audit-page.module.css'
import type { AuditSearch } from './audit-search.ts'
import { SettingsSection } from './settings-section.tsx'

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
      <Filter value={q} onChange={(text) => change({ q: text || undefined })} />
      {log.isLoadingError ? (
        <ErrorState error={log.error} what="The audit log cannot be loaded" retry={() => void log.refetch()} />
      ) : log.data?.total === 0 ? (
        <EmptyState title={q === '' ? 'No changes yet' : `Nothing matches “${q}”`}>
          {q === '' ? 'Each change of this install is listed here.' : 'Search for a user, a setting or a library.'}
        </EmptyState>
      ) : (
        <Table className={styles.table} aria-busy={log.isFetching}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>Change</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {log.data
              ? log.data.entries.map((entry, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and several may have the same time.
                  <Table.Tr key={`${entry.at} ${index}`}>
                    <Table.Td className={styles.when}>
                      <TimeAgo time={entry.at} />
                    </Table.Td>
                    <Table.Td className={styles.change}>
                      <bdi className={styles.actor}>{entry.actor}</bdi>{' '}
                      <Text span inherit c="dimmed">
                        {auditAction(entry.action)}
                      </Text>{' '}
                      <bdi className={styles.subject}>{entry.subject}</bdi>
                    </Table.Td>
                  </Table.Tr>
                ))
              : skeletonRows}
          </Table.Tbody>
        </Table>
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

/** The text is sent when the user pauses. */
function Filter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const send = useDebouncedCallback((typed: string) => onChange(typed.trim()), 250)
  // Back and forward change the address.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value])
  useHotkeys([['/', () => field.current?.focus()]])
  const write = (typed: string) => {
    setText(typed)
    send(typed)
  }
  return (
    <TextInput
      ref={field}
      className={styles.filter}
      aria-label="Filter changes"
      placeholder="Filter by user, setting, key or library"
      leftSection={<Search size={16} aria-hidden />}
      rightSection={text === '' ? null : <CloseButton size="sm" aria-label="Clear" onClick={() => write('')} />}
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
    />
  )
}

const skeletonRows = [1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
  <Table.Tr key={row}>
    <Table.Td colSpan={2}>
      <Skeleton height={20} />
    </Table.Td>
  </Table.Tr>
))
