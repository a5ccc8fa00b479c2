import { Badge, Text } from '@mantine/core'
import { memo, Suspense, useRef } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { countOf } from '../format.ts'
import { lazyPart } from '../lazy-part.ts'
import { StrangerLink } from '../snippet/stranger-link.tsx'
import { useNear } from './near.ts'
import type { Passage, ReadSnippet } from './passages.ts'
import styles from './reader.module.css'
import { ReaderHeading } from './reader-heading.tsx'

const SnippetMarkdown = lazyPart(() =>
  import('../snippet/snippet-markdown.tsx').then(({ SnippetMarkdown }) => ({ default: SnippetMarkdown })),
)

type ReaderPassageProps = Passage & {
  /** Draws a border around the snippet. */
  framed: boolean
  raw: boolean
  /** True for the first ones, which are visible at once. */
  first: boolean
}

/** A part of a page: its headings and the text below them. The text is formatted when it is nearly visible. */
export const ReaderPassage = memo(function ReaderPassage({ headings, snippet, framed, raw, first }: ReaderPassageProps) {
  return (
    <>
      {headings.map((heading) => (
        <ReaderHeading key={heading.anchor} heading={heading} />
      ))}
      <div className={framed ? styles.framed : undefined}>
        {snippet.flag && (
          <Text size="sm" c="dimmed">
            Flagged: {snippet.flag.reason}
          </Text>
        )}
        {framed && <SnippetFacts snippet={snippet} />}
        <PassageText content={snippet.content} raw={raw} first={first} />
      </div>
    </>
  )
})

function PassageText({ content, raw, first }: { content: string; raw: boolean; first: boolean }) {
  const ref = useRef<HTMLDivElement>(null)
  const isNear = useNear(ref, first)
  if (raw)
    return (
      <pre className={styles.raw} dir="auto">
        {content}
      </pre>
    )
  const plain = <pre className={styles.plain}>{content}</pre>
  return (
    <div ref={ref} className={styles.text}>
      {isNear ? (
        <Suspense fallback={plain}>
          <SnippetMarkdown>{content}</SnippetMarkdown>
        </Suspense>
      ) : (
        plain
      )}
    </div>
  )
}

const SnippetFacts = ({ snippet: { kind, tokens, url, content } }: { snippet: ReadSnippet }) => (
  <div className={styles.snippetFacts}>
    <Badge variant="default" tt="none" fw={500}>
      {kind === 'code' ? 'Code' : 'Info'}
    </Badge>
    <Text size="xs" c="dimmed" component="span">
      {countOf(tokens, 'token')}
    </Text>
    <Text size="xs" c="dimmed" component="span" className={styles.source}>
      Source: <StrangerLink href={url}>{url}</StrangerLink>
    </Text>
    <CopyButton value={content} label="the snippet" />
  </div>
)
