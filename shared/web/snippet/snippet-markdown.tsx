import { Text, Title } from '@mantine/core'
import { Component, type ComponentProps, type ReactNode } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from './code-block.tsx'
import { isModestMarkdown } from './is-modest-markdown.ts'
import styles from './snippet-markdown.module.css'
import { StrangerLink } from './stranger-link.tsx'

/**
 * The Markdown of strangers. HTML in it is shown as text, images as their descriptions, and links with their address. What a browser cannot
 * render in time is shown as it is written.
 */
export const SnippetMarkdown = ({ children }: { children: string }) => (
  <div className={styles.markdown} dir="auto">
    {isModestMarkdown(children) ? (
      <AsWritten key={children} text={children}>
        <Markdown remarkPlugins={plugins} components={components}>
          {children}
        </Markdown>
      </AsWritten>
    ) : (
      <Written text={children} />
    )}
  </div>
)

const Written = ({ text }: { text: string }) => <pre className={styles.written}>{text}</pre>

/** Shows the text as it is written if its Markdown cannot be rendered: deep nesting exceeds the stack. */
class AsWritten extends Component<{ text: string; children: ReactNode }> {
  override state = { isBroken: false }
  static getDerivedStateFromError = () => ({ isBroken: true })
  override render() {
    return this.state.isBroken ? <Written text={this.props.text} /> : this.props.children
  }
}

const plugins = [remarkGfm]

const Heading = ({ children }: ComponentProps<'h1'>) => (
  <Title order={4} component="p" fz="md" className={styles.heading}>
    {children}
  </Title>
)

const components: Components = {
  a: ({ href, children }) => <StrangerLink href={href}>{children}</StrangerLink>,
  img: ({ alt }) => (
    <Text component="span" c="dimmed" fs="italic">
      [image{alt && `: ${alt}`}]
    </Text>
  ),
  // A snippet is a part of our page, so its headings are no headings of the page.
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  pre: ({ children }) => children,
  code: ({ className, children }) => {
    const text = String(children)
    const language = className?.replace('language-', '')
    return language !== undefined || text.endsWith('\n') ? (
      <CodeBlock code={text.replace(/\n$/, '')} language={language} />
    ) : (
      <code className={styles.inline}>{children}</code>
    )
  },
  table: ({ children }) => (
    // Wide tables scroll in themselves.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
    <div className={styles.scroll} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
}
