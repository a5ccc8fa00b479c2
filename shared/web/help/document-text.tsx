import { Title } from '@mantine/core'
import { type ComponentProps, type ReactNode, useEffect } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { headingAnchor } from '../../text/heading-anchor.ts'
import { TextLink } from '../link-button.tsx'
import { CodeBlock } from '../snippet/code-block.tsx'
import styles from '../snippet/snippet-markdown.module.css'
import { hasDocument, nameOf } from './documents.ts'

/** A page of the documentation. HTML in it is text, and links between its pages stay in the web UI. */
export function DocumentText({ children }: { children: string }) {
  useEffect(() => {
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
  }, [])
  return (
    <div className={styles.markdown}>
      <Markdown remarkPlugins={[remarkGfm]} components={components}>
        {children}
      </Markdown>
    </div>
  )
}

const textOf = (node: ReactNode): string =>
  typeof node === 'string'
    ? node
    : Array.isArray(node)
      ? node.map(textOf).join('')
      : ((node as { props?: { children?: ReactNode } })?.props?.children ?? '') === ''
        ? ''
        : textOf((node as { props: { children: ReactNode } }).props.children)

const heading =
  (order: 2 | 3 | 4) =>
  ({ children }: ComponentProps<'h2'>) => (
    <Title order={order} id={headingAnchor(textOf(children))} mt="lg" mb="xs">
      {children}
    </Title>
  )

/** A file next to the page, or the changelog: other folders have files of the same names. */
const isDocument = /^(\.\/)?[\w-]+\.md$|^\.\.\/CHANGELOG\.md$/

/** Pages, other websites, and files of the project that the web UI does not have, which stay text. */
function DocumentLink({ href = '', children }: ComponentProps<'a'>) {
  const [path = '', hash = ''] = href.split('#', 2)
  const name = nameOf(path)
  if (/^https?:/.test(href))
    return (
      <a href={href} rel="noreferrer noopener">
        {children}
      </a>
    )
  if (path === '') return <a href={`#${headingAnchor(hash)}`}>{children}</a>
  if (!isDocument.test(path) || !hasDocument(name)) return <>{children}</>
  return (
    <TextLink to="/help/$page" params={{ page: name }} hash={headingAnchor(hash)}>
      {children}
    </TextLink>
  )
}

const components: Components = {
  a: DocumentLink,
  // The page has the title.
  h1: () => null,
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  img: ({ alt }) => <em>{alt}</em>,
  pre: ({ children }) => children,
  code: ({ className, children }) => {
    const text = String(children)
    return className !== undefined || text.endsWith('\n') ? (
      <CodeBlock code={text.replace(/\n$/, '')} language={className?.replace('language-', '')} />
    ) : (
      <code className={styles.inline}>{children}</code>
    )
  },
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
    <div className={styles.scroll} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
}
