import { markdownReader } from '../markdown/reader.ts'
import type { Block, Section } from '../page/page.ts'
import type { Place } from './references.ts'

/** Reads a description as sections. The title in front keeps the reader from using the first heading as the title. */
export async function describe(text: string): Promise<Section[]> {
  if (text === '') return []
  if (!/[`~#[<!|\n\\]/.test(text)) return [{ headings: [], line: 0, blocks: prose(text) }]
  const { sections } = await markdownReader(`# Description\n\n${text}`, { path: '', readFile: () => undefined })
  return sections
}

/** A description as the blocks of one section: its headings become bold lines. */
export async function describedBlocks(text: string): Promise<Block[]> {
  const sections = await describe(text)
  return sections.flatMap(({ headings, blocks }) => [...prose(headings.length > 0 ? `**${headings.at(-1)}**` : ''), ...blocks])
}

export const prose = (text: string): Block[] => (text === '' ? [] : [{ kind: 'prose', text, line: 0 }])

/** A section with all its blocks at one place, in the document itself or in another file. */
export function placed(
  { headings, blocks }: Pick<Section, 'headings' | 'blocks'>,
  { file, line }: Place,
  document: string,
): Section {
  const of = file === document ? {} : { file }
  return { headings, line, ...of, blocks: blocks.map((block) => ({ ...block, line: 0, ...of })) }
}
