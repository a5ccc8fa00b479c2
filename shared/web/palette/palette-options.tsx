import { BookText, FileText, Hash, type LucideIcon, Search, TextQuote } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FoundLibrary, FoundMatch } from '../search/found.ts'
import { MarkedText, wordMarks } from '../search/marked-text.tsx'
import { type ChosenLibrary, type EntryGroup, type LibraryTask, matchingEntries, type PaletteEntry } from './palette-entries.ts'

/** A row of the palette. A library's matches are below it, with `isMatch`. */
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
export type OptionGroup = { title: string; options: PaletteOption[] }

const matchIcons = { page: FileText, heading: Hash, text: TextQuote } as const

/** The page and section of a match, except what its text says already. */
const placeOf = ({ kind, title, section, path }: FoundMatch): string =>
  kind === 'page' ? path : [title, kind === 'text' && section !== title ? section : undefined].filter(Boolean).join(' › ')

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

/** A group for each library that was found, with its matches. */
export const foundGroups = (libraries: readonly FoundLibrary[], { text, isCurrent, open }: FoundProps): OptionGroup[] =>
  libraries.map(({ id, title, matches }) => ({
    title: '',
    options: [
      {
        key: id,
        icon: BookText,
        label: <MarkedText text={title} marks={wordMarks(title, text)} />,
        description: <bdi>{id}</bdi>,
        isOfText: isCurrent,
        choose: () => open(id),
      },
      ...matches.map((match, at) => ({
        key: `${id} ${at} ${match.path}`,
        icon: matchIcons[match.kind],
        label: <MarkedText text={match.text} marks={match.marks} />,
        description: <bdi>{placeOf(match)}</bdi>,
        isMatch: true,
        isOfText: isCurrent,
        choose: () => open(id, match),
      })),
    ],
  }))

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
