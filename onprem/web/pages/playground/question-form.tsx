import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { libraryListQuery } from '../../api/library-query.ts'
import styles from './playground.module.css'
import type { PlaygroundSearch } from './playground-search.ts'

const listed = '50'
const maxQuestion = 500

type QuestionFormProps = {
  search: PlaygroundSearch
  ask: (changes: Pick<PlaygroundSearch, 'library' | 'question'>) => void
}

export function QuestionForm({ search, ask }: QuestionFormProps) {
  const [library, setLibrary] = useState(search.library)
  const [question, setQuestion] = useState(search.question)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (library !== '' && question.trim() !== '') ask({ library, question: question.trim() })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <LibrarySelect value={library} onChange={setLibrary} />
      <TextInput
        className={styles.question}
        label="Question"
        placeholder="How do I read a cookie?"
        maxLength={maxQuestion}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
        data-autofocus
      />
      <Button type="submit" disabled={library === '' || question.trim() === ''}>
        Ask
      </Button>
    </form>
  )
}

/** Searches the libraries on the server, and offers their versions too. */
function LibrarySelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [text, setText] = useState(value)
  const [q] = useDebouncedValue(text.replace(/[@ ].*$/, ''), 200)
  const { data } = useQuery(libraryListQuery({ q: q || undefined, pageSize: listed, sort: 'title' }))
  const ids = (data?.projects ?? [])
    .filter(({ state }) => state === 'finalized')
    .flatMap(({ id, versions }) => [id, ...versions.map((version) => `${id}@${version}`)])
  return (
    <Select
      className={styles.library}
      label="Library"
      placeholder="Choose a library"
      searchable
      data={[...new Set([...(value ? [value] : []), ...ids])]}
      value={value || null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => onChange(id ?? '')}
      filter={({ options, search }) =>
        options.filter((option) => 'value' in option && option.value.toLowerCase().includes(search.trim().toLowerCase()))
      }
      nothingFoundMessage="No library matches"
    />
  )
}
