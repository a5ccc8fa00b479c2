import { CloseButton, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useShortcut } from '../../../../shared/web/shortcuts.ts'
import { jobWords } from './job-words.ts'
import styles from './queue.module.css'
import { type KindFilter, kindFilters, type QueueSearch, type StateFilter } from './queue-search.ts'

type QueueFiltersProps = { search: QueueSearch; change: (filters: QueueSearch) => void }

const states: { value: StateFilter | ''; label: string }[] = [
  { value: '', label: 'All states' },
  { value: 'unfinished', label: 'Unfinished' },
  { value: 'done', label: 'Done' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
]
const kinds = [{ value: '', label: 'All kinds' }, ...kindFilters.map((kind) => ({ value: kind, label: jobWords.kinds[kind] }))]

export function QueueFilters({ search, change }: QueueFiltersProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.q ?? '')
  const changeText = useDebouncedCallback((q: string) => change({ q: q.trim() === '' ? undefined : q.trim() }), 250)
  // Back and forward change the address.
  useEffect(() => setText((typed) => (typed.trim() === (search.q ?? '') ? typed : (search.q ?? ''))), [search.q])
  useShortcut('filter', () => field.current?.focus())
  const write = (q: string) => {
    setText(q)
    changeText(q)
  }
  return (
    <Group gap="xs" className={styles.filters} role="search" aria-label="Jobs">
      <TextInput
        ref={field}
        className={styles.text}
        aria-label="Library"
        placeholder="Library"
        leftSection={<Search size={16} aria-hidden />}
        rightSection={text === '' ? null : <CloseButton size="sm" aria-label="Clear" onClick={() => write('')} />}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="State"
        data={states}
        value={search.state ?? ''}
        onChange={(event) => change({ state: (event.currentTarget.value || undefined) as StateFilter | undefined })}
      />
      <NativeSelect
        aria-label="Kind"
        data={kinds}
        value={search.kind ?? ''}
        onChange={(event) => change({ kind: (event.currentTarget.value || undefined) as KindFilter | undefined })}
      />
    </Group>
  )
}
