import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { UseLibraryIds } from './playground-source.ts'

/** The ids that match a typed text, and what a search field of them needs. `isSettled` is false while the server is asked. */
export function useLibraryMatches(text: string, useLibraryIds: UseLibraryIds) {
  const [typed = ''] = text.split(/[@ ]/, 1)
  const [name] = useDebouncedValue(typed, 200)
  const { ids, isLoading } = useLibraryIds(name)
  const isSettled = typed === name && !isLoading
  return { ids, isSettled, nothingFoundMessage: isSettled ? 'No library matches' : 'Searching…' }
}

/** Enter chooses the first option that matches a text, also if it is pressed before the options arrive. */
export function useFirstMatch(text: string, isSettled: boolean) {
  const [waiting, setWaiting] = useState<{ text: string; field: HTMLElement }>()
  useEffect(() => {
    if (!waiting || !isSettled) return
    setWaiting(undefined)
    if (waiting.text === text) highlightedOption(waiting.field)?.click()
  }, [waiting, isSettled, text])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || text === '' || highlightedOption(event.currentTarget)) return
    // The form would submit itself, without the library that was typed.
    event.preventDefault()
    setWaiting({ text, field: event.currentTarget })
  }
  return { onKeyDown, selectFirstOptionOnChange: text !== '' && isSettled }
}

function highlightedOption(field: HTMLElement): HTMLElement | null | undefined {
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '')
  return list?.querySelector<HTMLElement>('[data-combobox-selected]')
}
