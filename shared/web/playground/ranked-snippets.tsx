import { Stack, Text, UnstyledButton } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { countOf, formatShare } from '../format.ts'
import { StrangerLink } from '../snippet/stranger-link.tsx'
import styles from './playground.module.css'
import type { RankedSnippet } from './shown-answer.ts'

const SnippetMarkdown = lazy(() =>
  import('../snippet/snippet-markdown.tsx').then(({ SnippetMarkdown }) => ({ default: SnippetMarkdown })),
)

export const RankedSnippets = ({ snippets }: { snippets: readonly RankedSnippet[] }) => (
  <Stack gap="md">
    {snippets.map((snippet) => (
      <Ranked key={snippet.rank} snippet={snippet} />
    ))}
  </Stack>
)

/** A snippet below a line that opens why it has this rank. */
function Ranked({ snippet }: { snippet: RankedSnippet }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <article className={styles.snippet}>
      <UnstyledButton className={styles.why} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden className={styles.chevron} />
        <span className={styles.whyText}>
          <b>#{snippet.rank}</b> · {retrieversOf(snippet)} · {countOf(snippet.tokens, 'token')} ·{' '}
          <bdi>{placeOf(snippet.source)}</bdi>
        </span>
      </UnstyledButton>
      {isOpen && <Why snippet={snippet} />}
      <Text fw={600} size="sm" className={styles.title}>
        <bdi>{snippet.title}</bdi>
      </Text>
      <Suspense fallback={<pre className={styles.loading}>{snippet.content}</pre>}>
        <SnippetMarkdown>{snippet.content}</SnippetMarkdown>
      </Suspense>
    </article>
  )
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
          <StrangerLink href={source}>{source}</StrangerLink>
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
  const [, path, line] = /\/blob\/[^/]+\/([^#]+)(?:#L(\d+))?/.exec(source) ?? []
  if (path === undefined) return source
  return `${decodePath(path)}${line === undefined ? '' : `:${line}`}`
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
