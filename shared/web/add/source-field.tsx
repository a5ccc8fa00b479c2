import { Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import type { Pasted, Recognizer } from './pasted.ts'
import { RecognizedHint } from './recognized-hint.tsx'
import { recognizedQuery } from './recognized-query.ts'

type SourceFieldProps = {
  recognizer: Recognizer
  /** The properties of the field in its form. */
  field: ComponentProps<typeof TextInput> & { value?: string }
  /** Replaces the text of the field. */
  onText: (text: string) => void
  onSeveral: (pasted: Pasted) => void
} & Omit<ComponentProps<typeof RecognizedHint>, 'text' | 'recognized' | 'onUse' | 'onSeveral'>

/** A field for a repository. When the user pauses, it says which one the text means; a pasted list is several. */
export function SourceField({ recognizer, field, onText, onSeveral, ...hintProps }: SourceFieldProps) {
  const hint = useHint(recognizer, (field.value ?? '').trim())
  const onPaste = (event: React.ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!text.trim().includes('\n')) return
    event.preventDefault()
    onSeveral({ text })
  }
  return (
    <Stack gap={6}>
      <TextInput
        label="Repository"
        description="An address, owner/repository or the name of a package. Paste or drop a list or a file such as package.json to add several."
        placeholder="https://github.com/honojs/website"
        required
        data-autofocus
        spellCheck={false}
        onPaste={onPaste}
        {...field}
      />
      {hint && <RecognizedHint {...hint} {...hintProps} onUse={onText} onSeveral={() => onSeveral({ text: hint.text })} />}
    </Stack>
  )
}

const pauseMs = 300

/** The repositories that the text of the field names. */
function useHint(recognizer: Recognizer, typed: string) {
  const [text] = useDebouncedValue(typed, pauseMs)
  const { data } = useQuery({ ...recognizedQuery(recognizer, { text }), enabled: text !== '' })
  return data && text === typed && text !== '' ? { text, recognized: data } : undefined
}
