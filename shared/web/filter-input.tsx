import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useShortcut } from './shortcuts.ts'

type FilterInputProps = {
  label: string
  placeholder: string
  /** The filter in the address of the page. */
  value: string
  onChange: (text: string) => void
  className?: string | undefined
  /** The greatest width, in CSS pixels. */
  maxWidth?: number
  /** The field has the focus when the page opens. */
  hasFocus?: boolean
  /** Arrow Down in the field. */
  onDown?: () => void
}

/** The filter of a list, which `/` focuses. The text is sent when the user pauses. */
export function FilterInput({
  label,
  placeholder,
  value,
  onChange,
  className,
  maxWidth = 420,
  hasFocus = false,
  onDown,
}: FilterInputProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const send = useDebouncedCallback((typed: string) => onChange(typed.trim()), 250)
  // Back and forward change the address.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value])
  useEffect(() => {
    if (hasFocus) field.current?.focus()
  }, [hasFocus])
  useShortcut('filter', () => field.current?.focus())
  const write = (typed: string) => {
    setText(typed)
    send(typed)
  }
  return (
    <TextInput
      ref={field}
      {...(className !== undefined && { className })}
      maw={maxWidth}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={text === '' ? null : <CloseButton size="sm" aria-label="Clear" onClick={() => write('')} />}
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' || !onDown) return
        event.preventDefault()
        onDown()
      }}
    />
  )
}
