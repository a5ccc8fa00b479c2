import { Button, Skeleton, Switch, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { countOf } from '../format.ts'
import { StrangerLink } from '../snippet/stranger-link.tsx'
import { Neighbours } from './neighbours.tsx'
import { Outline } from './outline.tsx'
import { type Heading, passagesOf } from './passages.ts'
import styles from './reader.module.css'
import { ReaderPassage } from './reader-passage.tsx'
import type { ChangeContent, ReadPage, ShownContent, UsePage } from './shown-content.ts'
import { UnreadablePage } from './unreadable-page.tsx'
import { useCurrentHeading, useHeadingOfAddress } from './use-heading.ts'
import { useWholePage } from './use-whole-page.ts'

/** Their text is formatted at once. */
const firstPassages = 8
const outlineBeside = '(min-width: 1280px)'

type ReaderProps = {
  library: string
  path: string
  shown: ShownContent
  change: ChangeContent
  usePage: UsePage
}

/** A page as one text, with its outline and its neighbours. */
export function Reader({ library, path, shown, change, usePage }: ReaderProps) {
  const { parts, page, hasRest } = useWholePage(usePage, { library, version: shown.version, path })
  if (parts.isLoadingError) return <UnreadablePage error={parts.error} path={path} retry={() => void parts.refetch()} />
  if (!parts.data || !page) return <Skeleton height={480} />
  return (
    <article className={styles.reader}>
      <ReaderBar page={page} shown={shown} change={change} />
      <PageText parts={parts.data.pages} shown={shown} />
      {hasRest && (
        <Button mt="md" variant="default" loading={parts.isFetchingNextPage} onClick={() => void parts.fetchNextPage()}>
          Show more of {countOf(page.snippets, 'snippet')}
        </Button>
      )}
      <Neighbours previous={page.previous} next={page.next} />
    </article>
  )
}

function PageText({ parts, shown }: { parts: readonly ReadPage[]; shown: ShownContent }) {
  const passages = useMemo(() => passagesOf(parts.flatMap(({ items }) => items)), [parts])
  const headings = useMemo(() => passages.flatMap(({ headings }) => headings), [passages])
  useHeadingOfAddress(headings)
  return (
    <>
      <PageOutline headings={headings} />
      <div className={styles.passages}>
        {passages.map(({ headings, snippet }, i) => (
          <ReaderPassage
            key={snippet.id}
            headings={headings}
            snippet={snippet}
            framed={shown.snippets}
            raw={shown.raw}
            first={i < firstPassages}
          />
        ))}
      </div>
    </>
  )
}

/** Next to the text if there is room, else folded above it. */
function PageOutline({ headings }: { headings: readonly Heading[] }) {
  const isBeside = useMediaQuery(outlineBeside, undefined, { getInitialValueInEffect: false })
  const current = useCurrentHeading(headings)
  const listed = useMemo(() => headings.filter(({ level }) => level > 1), [headings])
  if (listed.length < 2) return null
  if (isBeside)
    return (
      <nav className={styles.outline} aria-label="On this page">
        <Text size="xs" c="dimmed" fw={500} px={8} mb={4}>
          On this page
        </Text>
        <Outline headings={listed} current={current} />
      </nav>
    )
  return (
    <details className={styles.foldedOutline}>
      <summary>On this page</summary>
      <Outline headings={listed} current={current} />
    </details>
  )
}

function ReaderBar({ page, shown, change }: { page: ReadPage } & Pick<ReaderProps, 'shown' | 'change'>) {
  return (
    <div className={styles.bar}>
      <Text size="xs" c="dimmed" component="div" className={styles.facts}>
        <span>
          <bdi>{page.path}</bdi>
        </span>
        <span>{countOf(page.snippets, 'snippet')}</span>
        <span>{countOf(page.tokens, 'token')}</span>
        <StrangerLink href={page.url}>Source</StrangerLink>
      </Text>
      <div className={styles.switches}>
        <Switch
          size="xs"
          label="Show snippets"
          checked={shown.snippets}
          onChange={(event) => change({ snippets: event.currentTarget.checked })}
        />
        <Switch size="xs" label="Raw" checked={shown.raw} onChange={(event) => change({ raw: event.currentTarget.checked })} />
      </div>
    </div>
  )
}
