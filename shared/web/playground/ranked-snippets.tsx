import { Button, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { Suspense, useState } from 'react'
import { fileOfAddress, lineOfAddress } from '../../text/file-of-address.ts'
import { countOf, formatShare } from '../format.ts'
import { lazyPart } from '../lazy-part.ts'
import { StrangerLink } from '../snippet/stranger-link.tsx'
import type { Relation } from './compare-answers.ts'
import styles from './playground.module.css'
import type { RankedSnippet } from './shown-answer.ts'
import { useMarks } from './use-marks.ts'

const SnippetMarkdown = lazyPart(() =>
  import('../snippet/snippet-markdown.tsx').then(({ SnippetMarkdown }) => ({ default: SnippetMarkdown })),
)
const WordDiff = lazyPart(() => import('./word-diff.tsx').then(({ WordDiff }) => ({ default: WordDiff })))

/** `relations` to another answer have the order of the snippets. */
type RankedSnippetsProps = { snippets: readonly RankedSnippet[]; relations?: readonly Relation[] | undefined }

export const RankedSnippets = ({ snippets, relations }: RankedSnippetsProps) => (
  <Stack gap="md">
    {snippets.map((snippet, i) => (
      <Ranked key={snippet.rank} snippet={snippet} relation={relations?.[i]} />
    ))}
  </Stack>
)

/** A snippet below a line that opens why it has this rank. */
function Ranked({ snippet, relation }: { snippet: RankedSnippet; relation: Relation | undefined }) {
  const [isOpen, setIsOpen] = useState(false)
  const marks = useMarks(snippet.explain?.words ?? [])
  return (
    <article className={styles.snippet}>
      <UnstyledButton className={styles.why} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden className={styles.chevron} />
        <span className={styles.whyText}>
          <b>#{snippet.rank}</b> · {retrieversOf(snippet)} · {countOf(snippet.tokens, 'token')} ·{' '}
          {snippet.libraryId !== undefined && (
            <>
              <bdi>{snippet.libraryId}</bdi> ·{' '}
            </>
          )}
          <bdi>{placeOf(snippet.source)}</bdi>
        </span>
      </UnstyledButton>
      {isOpen && <Why snippet={snippet} />}
      {relation && <Related relation={relation} content={snippet.content} />}
      <div ref={marks}>
        <Text fw={600} size="sm" className={styles.title}>
          <bdi>{snippet.title}</bdi>
        </Text>
        <Suspense fallback={<pre className={styles.loading}>{snippet.content}</pre>}>
          <SnippetMarkdown>{snippet.content}</SnippetMarkdown>
        </Suspense>
      </div>
    </article>
  )
}

/** Where the other answer has the snippet, and which words differ there. */
function Related({ relation, content }: { relation: Relation; content: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const isChanged = relation.kind !== 'only' && relation.isChanged
  return (
    <div className={styles.relation} data-kind={relation.kind}>
      <Text size="xs" component="span">
        {relationText(relation)}
      </Text>
      {isChanged && (
        <Button variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide changes' : 'Show changes'}
        </Button>
      )}
      {isChanged && isOpen && (
        <Suspense fallback={<Skeleton height={80} />}>
          <WordDiff from={relation.content} to={content} />
        </Suspense>
      )}
    </div>
  )
}

function relationText(relation: Relation): string {
  if (relation.kind === 'only') return 'Only in this answer'
  const text = relation.isChanged ? ', with another text' : ''
  return relation.kind === 'same' ? `In both answers${text}` : `#${relation.rank} in the other answer${text}`
}

function Why({ snippet: { explain, source } }: { snippet: RankedSnippet }) {
  if (!explain) return null
  const { legs: retrievers, score, words, pageScore } = explain
  const facts: [string, string][] = [
    ['Found by words', retrievers.text === undefined ? 'no' : `as number ${retrievers.text}`],
    ['Found by vectors', retrievers.vector === undefined ? 'no' : `as number ${retrievers.vector}`],
    ['Words of the question', words.length > 0 ? words.join(', ') : 'none'],
    ['Evidence of its page', `${formatShare(pageScore)} of the best page`],
    ['Score', score.toFixed(2)],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>Source</dt>
        <dd>
          <bdi>
            <StrangerLink href={source}>{source}</StrangerLink>
          </bdi>
        </dd>
      </div>
    </dl>
  )
}

function retrieversOf({ explain }: RankedSnippet): string {
  const names = [
    explain?.legs.text !== undefined && 'words',
    explain?.legs.vector !== undefined && 'vectors',
    (explain?.pageScore ?? 0) > 0.5 && 'page',
  ].filter(Boolean)
  return names.join(' + ') || 'reranking'
}

/** `https://host/owner/repo/blob/<commit>/docs/a.md#L12` → `docs/a.md:12` */
function placeOf(source: string): string {
  const path = fileOfAddress(source)
  const line = lineOfAddress(source)
  if (path === undefined) return source
  return line === undefined ? path : `${path}:${line}`
}
