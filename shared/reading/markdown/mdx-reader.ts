import type { Page, Reader } from '../page/page.ts'
import { expandIncludes } from './expand-includes.ts'
import { takeFrontMatter } from './front-matter.ts'
import { toLines } from './line.ts'
import { markdownPage } from './markdown-page.ts'
import { prepareMarkdown } from './prepare-markdown.ts'
import { readMdx } from './read-markdown.ts'

/** Reads MDX with its imported documents expanded. Broken MDX is read as Markdown without tags. Never throws. */
export const mdxReader: Reader = (text, context): Page => {
  const { front, lines } = takeFrontMatter(toLines(text))
  return markdownPage(readMdx(prepareMarkdown(expandIncludes(lines, context))), front)
}
