import type { ListedLibrary } from '../../../../shared/web/library/library-table.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import type { LibraryItem } from '../../api/library-query.ts'
import { LibraryState, type ShownJob } from './library-state.tsx'

/** A library of this install for the table of all. */
export const listedLibrary = (library: LibraryItem, job: ShownJob | undefined): ListedLibrary => ({
  ...library,
  link: (
    <TextLink data-row to="/libraries/$" params={{ _splat: library.id.slice(1) }} fw={500} c="var(--ink)">
      <bdi>{library.title}</bdi>
    </TextLink>
  ),
  badges: badgesOf(library),
  language: library.codeLanguage,
  hasContent: library.state === 'finalized',
  state: <LibraryState library={library} job={job} />,
})

/** What is special about the origin of the content: most libraries are parsed here. */
export const badgesOf = (library: Pick<LibraryItem, 'imported' | 'private' | 'generated'>): string[] => [
  ...(library.imported ? ['Imported'] : []),
  ...(library.private ? ['Private'] : []),
  ...(library.generated ? ['Generated'] : []),
]
