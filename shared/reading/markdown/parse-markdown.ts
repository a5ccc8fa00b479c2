import type { Root } from 'mdast'
import remarkMdx from 'remark-mdx'
import remarkParse from 'remark-parse'
import { type Processor, unified } from 'unified'

/** Prose is cleaned from its source, so most inline constructs need not be parsed. This halves the time. */
const inline = ['attention', 'hardBreakEscape', 'labelStartImage', 'labelStartLink', 'labelEnd', 'characterReference', 'autolink']
const inlineMarkdown = [...inline, 'codeText', 'htmlText', 'characterEscape']

function without(this: Processor, names: string[]): void {
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: names } }]
}

const markdown = unified().use(remarkParse).use(without, inlineMarkdown)
const fragment = unified()
  .use(remarkParse)
  .use(without, [...inlineMarkdown, 'htmlFlow', 'codeIndented'])
const component = unified()
  .use(remarkParse)
  .use(without, [...inlineMarkdown, 'codeIndented'])
const mdx = unified().use(remarkParse).use(remarkMdx).use(without, inline)

export const parseMarkdown = (text: string): Root => markdown.parse(text)
/** For the text of HTML and JSX without their tags: `<` is text and indentation is layout. */
export const parseFragment = (text: string): Root => fragment.parse(text)
/** For broken MDX: Markdown with tags, whose content may be indented. */
export const parseLoose = (text: string): Root => component.parse(text)
/** Throws if JSX or an expression is broken. */
export const parseMdx = (text: string): Root => mdx.parse(text)
