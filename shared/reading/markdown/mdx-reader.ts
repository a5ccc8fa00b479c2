import type { Page, Reader } from '../page/page.ts'
import { expandIncludes } from './expand-includes.ts'
import { takeFrontMatter } from './front-matter.ts'
import { toLines } from './line.ts'
import { markdownPage } from './markdown-page.ts'
import { prepareMarkdown } from './prepare-markdown.ts'
import { readMdx } from './read-mdx.ts'

/** Reads MDX, with the documents that it imports in place of their components; broken MDX as Markdown whose tags go. Never throws. */
export const mdxReader: Reader = (text, context): Page => {
  const { front, lines } = takeFrontMatter(toLines(text))
  return markdownPage(readMdx(prepareMarkdown(expandIncludes(lines, context))), front)
}
