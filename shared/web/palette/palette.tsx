import { VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { countOf } from '../format.ts'
import { MessageText } from '../message-text.tsx'
import { type Found, type FoundMatch, maxSearchLength, pendingText } from '../search/found.ts'
import { OptionList } from './option-list.tsx'
import styles from './palette.module.css'
import type { ChosenLibrary, EntryGroup, LibraryTask, PaletteEntry } from './palette-entries.ts'
import { allResults, entryGroups, foundGroups, taskGroup } from './palette-options.tsx'
import type { PaletteProps } from './search-dialog.tsx'
import { useActiveOption } from './use-active-option.ts'

/** Libraries whose names have a text. `isCurrent` is false while they are of an earlier text. */
export type NamedLibraries = { libraries: readonly ChosenLibrary[]; isCurrent: boolean; error: Error | null }

type Props = PaletteProps & {
  groups: readonly EntryGroup[]
  /** A hook that searches in all libraries. Nothing is asked for an empty text. */
  useFound: (text: string) => Found
  /** A hook that finds the libraries of a task; the first ones for an empty text, none for `undefined`. */
  useNamed: (text: string | undefined) => NamedLibraries
  open: (id: string, match?: FoundMatch) => unknown
  /** Opens the page with all results, if there is one. */
  openAll?: (text: string) => unknown
}

/** The list of the palette: pages, actions, and what is found in the libraries. */
export function Palette({ groups, useFound, useNamed, open, openAll, ...dialog }: Props) {
  const { query, changeQuery, isOpen, close } = dialog
  const navigate = useNavigate()
  const [task, setTask] = useState<LibraryTask>()
  const text = query.trim().slice(0, maxSearchLength)
  const [asked] = useDebouncedValue(text, 120)
  const found = useFound(task ? '' : asked)
  const named = useNamed(task && asked)
  const { error, ...result } = task ? named : found
  const isCurrent = (text === '' && !task) || (asked === text && result.isCurrent)
  useEffect(() => {
    if (!isOpen) setTask(undefined)
  }, [isOpen])

  const run = (action: () => unknown) => {
    close()
    action()
  }
  const choose = (entry: PaletteEntry) => {
    if ('to' in entry) return run(() => navigate({ to: entry.to }))
    if ('run' in entry) return run(entry.run)
    setTask(entry.task)
    changeQuery('')
  }
  const shown = { text, isCurrent }
  const optionGroups = task
    ? [taskGroup(task, named.libraries, { ...shown, choose: (library) => run(() => task.run(library)) })]
    : [
        ...entryGroups(groups, text, choose),
        ...(text === '' ? [] : foundGroups(found.libraries, { ...shown, open: (...place) => run(() => open(...place)) })),
        ...(text === '' || !openAll || found.libraries.length === 0 ? [] : [allResults(text, () => run(() => openAll(text)))]),
      ]
  const leave = () => {
    setTask(undefined)
    changeQuery('')
  }
  const active = useActiveOption(optionGroups, { ...dialog, isCurrent, leave: task && leave })
  const pending = task || text === '' || !isCurrent ? '' : pendingText(found.pending)
  const isNothing = isCurrent && result.libraries.length === 0 && (task !== undefined || text !== '')
  return (
    <>
      <OptionList groups={optionGroups} active={active}>
        {error ? (
          <p className={styles.nothing} role="alert">
            <MessageText>{error.message}</MessageText>
          </p>
        ) : isNothing ? (
          <p className={styles.nothing}>{task ? 'No library has this name' : 'Nothing found in the libraries'}</p>
        ) : null}
        {pending !== '' && <p className={styles.pending}>{pending}</p>}
      </OptionList>
      <VisuallyHidden role="status">
        {text !== '' && isCurrent && isOpen ? `${countOf(countOptions(optionGroups), 'result')}. ${pending}` : ''}
      </VisuallyHidden>
      <div className={styles.footer} aria-hidden>
        <span>{!isCurrent ? 'Searching' : task ? 'Backspace goes back' : 'Words find libraries, pages, headings and text'}</span>
        <span className={styles.keys}>
          <kbd className={styles.key}>↑</kbd> <kbd className={styles.key}>↓</kbd> choose <kbd className={styles.key}>Enter</kbd>{' '}
          open
        </span>
      </div>
    </>
  )
}

const countOptions = (groups: readonly { options: readonly { key: string }[] }[]): number =>
  groups.reduce((count, { options }) => count + options.filter(({ key }) => key !== 'all').length, 0)
