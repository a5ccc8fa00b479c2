import { Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import type { FoundLibrary, FoundMatch } from '../../../../shared/web/search/found.ts'
import { MarkedText, wordMarks } from '../../../../shared/web/search/marked-text.tsx'
import { matchIcons, placeOf } from '../../../../shared/web/search/match.ts'
import { placeLink } from '../../api/place-link.ts'
import styles from './search-page.module.css'

/** The server shows as many matches of each library unless only one is searched. */
const matchesEach = 3

type FoundInLibraryProps = {
  library: FoundLibrary
  q: string
  /** Only this library was searched. */
  isOnly: boolean
}

/** A library and its matches, as links. */
export const FoundInLibrary = ({ library, q, isOnly }: FoundInLibraryProps) => (
  <section className={styles.library} aria-label={library.title}>
    <Title order={2} className={styles.title}>
      <TextLink {...placeLink(library.id)} data-row c="var(--ink)" inherit>
        <MarkedText text={library.title} marks={wordMarks(library.title, q)} />
      </TextLink>
    </Title>
    <div className={styles.about}>
      <bdi className={styles.id}>
        <MarkedText text={library.id} marks={wordMarks(library.id, q)} />
      </bdi>
      {library.description && <MarkedText text={library.description} marks={wordMarks(library.description, q)} />}
    </div>
    {library.matches.length > 0 && (
      <ul className={styles.matches}>
        {library.matches.map((match, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a page has several matches.
          <Match key={`${match.path} ${at}`} id={library.id} match={match} />
        ))}
      </ul>
    )}
    {!isOnly && library.matches.length === matchesEach && (
      <TextLink to="/search" search={{ q, library: library.id }} size="sm" className={styles.more}>
        <span className={styles.name}>
          All matches in <bdi>{library.title}</bdi>
        </span>
        <ArrowRight size={14} aria-hidden />
      </TextLink>
    )}
  </section>
)

function Match({ id, match }: { id: string; match: FoundMatch }) {
  const Icon = matchIcons[match.kind]
  return (
    <li>
      <Link {...placeLink(id, match)} data-row className={styles.match}>
        <Icon size={16} aria-hidden />
        <span className={styles.words}>
          <span className={styles.text}>
            <MarkedText text={match.text} marks={match.marks} />
          </span>
          <bdi className={styles.place}>{placeOf(match)}</bdi>
        </span>
      </Link>
    </li>
  )
}
