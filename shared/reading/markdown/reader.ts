import type { Page, Reader } from '../page/page.ts'
import { expandIncludes } from './expand-includes.ts'
import { takeFrontMatter } from './front-matter.ts'
import { toLines } from './line.ts'
import { looksLikeMdx } from './looks-like-mdx.ts'
import { markdownPage } from './markdown-page.ts'
import { prepareMarkdown } from './prepare-markdown.ts'
import { readMarkdown, readMdx } from './read-markdown.ts'

/** Reads Markdown of any dialect: CommonMark, GitHub, MkDocs, VitePress, Docusaurus, mdBook. Never throws. */
export const markdownReader: Reader = (text, context): Page => {
  const { front, lines } = takeFrontMatter(toLines(text))
  const read = looksLikeMdx(lines) ? readMdx : readMarkdown
  return markdownPage(read(prepareMarkdown(expandIncludes(lines, context))), front)
}
