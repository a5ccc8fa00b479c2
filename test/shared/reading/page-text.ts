import type { Block, Page, ReaderContext } from '../../../shared/reading/page/page.ts'

/** A page as one readable text: headings as `## a > b`, code between fences with label and group. */
export function pageText({ title, sections }: Page): string {
  const parts = sections.flatMap(({ headings, blocks }) => [
    ...(headings.length > 0 ? [`## ${headings.join(' > ')}`] : []),
    ...blocks.map(blockText),
  ])
  return [`# ${title ?? '(no title)'}`, ...parts].join('\n\n')
}

function blockText(block: Block): string {
  if (block.kind === 'prose') return block.text
  const notes = [block.language, block.label && `"${block.label}"`, block.group && `group ${block.group}`].filter(Boolean)
  return `~~~ ${notes.join(', ')}`.trimEnd().concat(`\n${block.code}\n~~~`)
}

export const codeOf = (page: Page) => page.sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'code'))
export const proseOf = (page: Page) =>
  page.sections.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'prose' ? [block.text] : []))).join('\n\n')

/** A repository of some files, seen from one of them. */
export const contextOf = (path: string, files: Record<string, string> = {}): ReaderContext => ({
  path,
  readFile: (asked) => (Object.hasOwn(files, asked) ? files[asked] : undefined),
})
