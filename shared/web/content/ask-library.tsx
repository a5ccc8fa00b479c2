import { Button, TextInput } from '@mantine/core'
import { MessageCircleQuestion } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import styles from './ask-library.module.css'

type AskLibraryProps = {
  /** The version that is shown, as the field names it. */
  title: string
  /** An empty question opens the place where questions are asked. */
  ask: (question: string) => void
  /** What is next to the field: the version, a way to connect. */
  children?: ReactNode
}

const maxChars = 500

/** A field in the head of a library that asks it. */
export function AskLibrary({ title, ask, children }: AskLibraryProps) {
  const [question, setQuestion] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask(question.trim())
  }
  return (
    <div className={styles.row}>
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          className={styles.field}
          aria-label="Question"
          placeholder={`Ask ${title}`}
          leftSection={<MessageCircleQuestion size={16} aria-hidden />}
          maxLength={maxChars}
          value={question}
          onChange={(event) => setQuestion(event.currentTarget.value)}
        />
        <Button type="submit">Ask this library</Button>
      </form>
      {children}
    </div>
  )
}
