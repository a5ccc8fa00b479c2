import { BookText, type LucideIcon, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FoundLibrary, FoundMatch } from '../search/found.ts'
import { MarkedText, wordMarks } from '../search/marked-text.tsx'
import { matchIcons, placeOf } from '../search/match.ts'
import { type ChosenLibrary, type EntryGroup, type LibraryTask, matchingEntries, type PaletteEntry } from './palette-entries.ts'

/** A row of the palette. Matches below the row of their library have `isMatch`. */
export type PaletteOption = {
  key: string
  icon: LucideIcon
  label: ReactNode
  description?: ReactNode
  isMatch?: boolean
  /** False if the row may be of an earlier text. */
  isOfText: boolean
  choose: () => unknown
}
/** `detail` is beside the title. */
export type OptionGroup = { title: string; detail?: string; options: PaletteOption[] }

/** The rows of pages and actions; those that have the words of the text, if there is one. */
export const entryGroups = (
  groups: readonly EntryGroup[],
  text: string,
  choose: (entry: PaletteEntry) => unknown,
): OptionGroup[] =>
  matchingEntries(groups, text).map(({ group, entries }) => ({
    title: group,
    options: entries.map((entry) => ({
      key: `${group} ${entry.label}`,
      icon: entry.icon,
      label: <MarkedText text={entry.label} marks={wordMarks(entry.label, text)} />,
      isOfText: true,
      choose: () => choose(entry),
    })),
  }))

type FoundProps = {
  text: string
  isCurrent: boolean
  open: (id: string, match?: FoundMatch) => unknown
}

/** A group for each library that was found. The library is its first row if nothing else has the words better. */
export const foundGroups = (libraries: readonly FoundLibrary[], props: FoundProps): OptionGroup[] =>
  libraries.map((library) => {
    const matches = library.matches.map((match, at) => matchOption(library.id, match, at, props))
    if (!library.named && matches.length > 0) return { title: library.title, detail: library.id, options: matches }
    return { title: '', options: [libraryOption(library, props), ...matches.map((option) => ({ ...option, isMatch: true }))] }
  })

const libraryOption = ({ id, title, description = '', named }: FoundLibrary, { text, isCurrent, open }: FoundProps) => ({
  key: id,
  icon: BookText,
  label: <MarkedText text={title} marks={wordMarks(title, text)} />,
  description: (
    <>
      <bdi>{id}</bdi>
      {!named && (
        <>
          {' · '}
          <MarkedText text={description} marks={wordMarks(description, text)} />
        </>
      )}
    </>
  ),
  isOfText: isCurrent,
  choose: () => open(id),
})

const matchOption = (id: string, match: FoundMatch, at: number, { isCurrent, open }: FoundProps): PaletteOption => ({
  key: `${id} ${at} ${match.path}`,
  icon: matchIcons[match.kind],
  label: <MarkedText text={match.text} marks={match.marks} />,
  description: <bdi>{placeOf(match)}</bdi>,
  isOfText: isCurrent,
  choose: () => open(id, match),
})

/** The libraries that a task can be done for. */
export const taskGroup = (
  task: LibraryTask,
  libraries: readonly ChosenLibrary[],
  { text, isCurrent, choose }: { text: string; isCurrent: boolean; choose: (library: ChosenLibrary) => unknown },
): OptionGroup => ({
  title: task.question,
  options: libraries.map((library) => ({
    key: library.id,
    icon: BookText,
    label: <MarkedText text={library.title} marks={wordMarks(library.title, text)} />,
    description: <bdi>{library.id}</bdi>,
    isOfText: isCurrent,
    choose: () => choose(library),
  })),
})

export const allResults = (text: string, choose: () => unknown): OptionGroup => ({
  title: '',
  options: [
    {
      key: 'all',
      icon: Search,
      label: (
        <>
          See all results for “<bdi>{text}</bdi>”
        </>
      ),
      isOfText: true,
      choose,
    },
  ],
})
