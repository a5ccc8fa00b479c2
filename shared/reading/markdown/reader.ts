import type { Page, Reader } from '../page/page.ts'
import { takeFrontMatter } from './front-matter.ts'
import { expandIncludes } from './markdown-includes.ts'
import { toLines } from './markdown-lines.ts'
import { markdownPage } from './markdown-page.ts'
import { prepareMarkdown } from './markdown-prepare.ts'
import { looksLikeMdx } from './mdx-module.ts'
import { readMarkdown } from './read-markdown.ts'
import { readMdx } from './read-mdx.ts'

/** Reads Markdown of any dialect: CommonMark, GitHub, MkDocs, VitePress, Docusaurus, mdBook. Never throws. */
export const markdownReader: Reader = (text, context): Page => {
  const { front, lines } = takeFrontMatter(toLines(text))
  const read = looksLikeMdx(lines) ? readMdx : readMarkdown
  return markdownPage(read(prepareMarkdown(expandIncludes(lines, context))), front)
}
