import type { LucideIcon } from 'lucide-react'
import { wordsOf } from '../search/marked-text.tsx'

/** A library that an action gets. */
export type ChosenLibrary = { id: string; title: string }

/** An action for a library, which the palette asks for. */
export type LibraryTask = { question: string; run: (library: ChosenLibrary) => unknown }

/** An entry opens a page, runs an action, or asks for a library first. `keywords` find it besides its label. */
export type PaletteEntry = {
  label: string
  icon: LucideIcon
  keywords?: readonly string[] | undefined
} & ({ to: string } | { run: () => unknown } | { task: LibraryTask })

export type EntryGroup = { group: string; entries: readonly PaletteEntry[] }

/** The entries whose label or keywords have a word that begins with each word of the text. */
export function matchingEntries(groups: readonly EntryGroup[], text: string): EntryGroup[] {
  const words = wordsOf(text)
  const matches = ({ label, keywords = [] }: PaletteEntry) => {
    const own = wordsOf([label, ...keywords].join(' '))
    return words.every((word) => own.some((each) => each.startsWith(word)))
  }
  return groups
    .map(({ group, entries }) => ({ group, entries: entries.filter(matches) }))
    .filter(({ entries }) => entries.length > 0)
}
