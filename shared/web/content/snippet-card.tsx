import { Badge, Group, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { countOf } from '../format.ts'
import { StrangerLink } from '../snippet/stranger-link.tsx'
import styles from './content.module.css'

const SnippetMarkdown = lazy(() =>
  import('../snippet/snippet-markdown.tsx').then(({ SnippetMarkdown }) => ({ default: SnippetMarkdown })),
)

export type ShownSnippet = { title: string; content: string; kind: 'code' | 'info'; url: string; tokens: number }

/** One snippet, rendered or as its Markdown, with a link to its source. */
export const SnippetCard = ({ snippet, raw }: { snippet: ShownSnippet; raw: boolean }) => (
  <article className={styles.card}>
    <Group justify="space-between" gap="xs" className={styles.cardHead}>
      <Text fw={600} component="h2" fz="sm" className={styles.cardTitle}>
        <bdi>{snippet.title}</bdi>
      </Text>
      <Group gap={6}>
        <Badge variant="default" tt="none" fw={500}>
          {snippet.kind === 'code' ? 'Code' : 'Info'}
        </Badge>
        <Text size="xs" c="dimmed">
          {countOf(snippet.tokens, 'token')}
        </Text>
        <CopyButton value={snippet.content} label="the snippet" />
      </Group>
    </Group>
    {raw ? (
      <pre className={styles.raw} dir="auto">
        {snippet.content}
      </pre>
    ) : (
      <Suspense fallback={<pre className={styles.loading}>{snippet.content}</pre>}>
        <SnippetMarkdown>{snippet.content}</SnippetMarkdown>
      </Suspense>
    )}
    <Text size="xs" c="dimmed" className={styles.source}>
      Source: <StrangerLink href={snippet.url}>{snippet.url}</StrangerLink>
    </Text>
  </article>
)
