import { Button, MultiSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { libraryListQuery } from '../../api/library-query.ts'
import styles from './playground.module.css'
import { maxLibraries, type PlaygroundSearch } from './playground-search.ts'

const listed = '50'
const maxQuestion = 500

type QuestionFormProps = {
  search: PlaygroundSearch
  ask: (changes: Pick<PlaygroundSearch, 'libraries' | 'question'>) => void
}

export function QuestionForm({ search, ask }: QuestionFormProps) {
  const [libraries, setLibraries] = useState(search.libraries)
  const [question, setQuestion] = useState(search.question)
  const isComplete = libraries.length > 0 && question.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete) ask({ libraries, question: question.trim() })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <LibrariesSelect value={libraries} onChange={setLibraries} />
      <TextInput
        className={styles.question}
        label="Question"
        placeholder="How do I read a cookie?"
        maxLength={maxQuestion}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
        data-autofocus
      />
      <Button type="submit" disabled={!isComplete}>
        Ask
      </Button>
    </form>
  )
}

/** Searches the libraries on the server, and offers their versions too. */
function LibrariesSelect({ value, onChange }: { value: string[]; onChange: (ids: string[]) => void }) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.replace(/[@ ].*$/, ''), 200)
  const { data } = useQuery(libraryListQuery({ q: q || undefined, pageSize: listed, sort: 'title' }))
  const ids = (data?.projects ?? [])
    .filter(({ state }) => state === 'finalized')
    .flatMap(({ id, versions }) => [id, ...versions.map((version) => `${id}@${version}`)])
  return (
    <MultiSelect
      className={styles.libraries}
      classNames={{ inputField: styles.search ?? '' }}
      label="Libraries"
      placeholder={value.length === 0 ? 'Choose libraries' : ''}
      searchable
      hidePickedOptions
      maxValues={maxLibraries}
      data={[...new Set([...value, ...ids])]}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={onChange}
      filter={({ options, search }) =>
        options.filter((option) => 'value' in option && option.value.toLowerCase().includes(search.trim().toLowerCase()))
      }
      nothingFoundMessage="No library matches"
    />
  )
}
