import { Search } from 'lucide-react'
import { type KeyboardEvent, lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { useShortcut } from '../shortcuts.ts'
import styles from './palette.module.css'

/** What the dialog shares with the list below its field. */
export type PaletteProps = {
  query: string
  changeQuery: (query: string) => void
  isOpen: boolean
  close: () => void
  /** The list sets what a key does in the field. It returns true if the key had an effect. */
  onKey: RefObject<((key: string) => boolean) | null>
  /** The text for which Enter was pressed before its results were there: their first one is chosen. */
  entered: RefObject<string | undefined>
  /** Names the element of the option that Enter chooses. */
  setActive: (elementId: string | undefined) => void
  showShortcuts: () => void
}

export type LoadPalette = () => Promise<{ default: (props: PaletteProps) => ReactNode }>

export const paletteListId = 'palette-list'

/**
 * The field of the palette, and its list, which is loaded when it is needed. The field is in the page from the start and gets the focus in the
 * same event as the keys that open it, so that no letter is lost.
 */
export function useSearchDialog(load: LoadPalette, showShortcuts: () => void) {
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const onKey: PaletteProps['onKey'] = useRef(null)
  const entered: PaletteProps['entered'] = useRef(undefined)
  const [Palette] = useState(() => lazy(() => load().catch(() => ({ default: PaletteMissing }))))
  const [isLoaded, setIsLoaded] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const [query, changeQuery] = useState('')
  const [active, setActive] = useState<string>()
  const open = () => {
    setIsLoaded(true)
    setIsOpen(true)
    if (!dialog.current?.open) dialog.current?.showModal()
    field.current?.select()
  }
  const close = () => dialog.current?.close()
  const onClose = () => {
    entered.current = undefined
    setIsOpen(false)
    changeQuery('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends the input of a composed character.
    if (event.nativeEvent.isComposing) return
    if (onKey.current?.(event.key)) event.preventDefault()
    else if (event.key === 'Enter') entered.current = query
  }
  useShortcut('search', open)
  const element = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too.
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label="Search and actions"
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div className={styles.field}>
        <Search size={18} aria-hidden />
        <input
          ref={field}
          className={styles.input}
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded={isOpen}
          aria-controls={paletteListId}
          aria-autocomplete="list"
          aria-activedescendant={active}
          placeholder="Search libraries and pages, or run an action"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => changeQuery(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <kbd className={styles.key} aria-hidden>
          Esc
        </kbd>
      </div>
      <Suspense fallback={<div id={paletteListId} className={styles.list} />}>
        {isLoaded && <Palette {...{ query, changeQuery, isOpen, close, onKey, entered, setActive, showShortcuts }} />}
      </Suspense>
    </dialog>
  )
  return { open, element }
}

const PaletteMissing = () => (
  <div id={paletteListId} className={styles.list}>
    <p className={styles.nothing} role="alert">
      The search cannot be loaded. Check that the server is running, then reload the page.
    </p>
  </div>
)
