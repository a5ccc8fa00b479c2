import { htmlReader } from '../../html/reader.ts'
import type { Piece } from '../../page/build-page.ts'
import type { Comment } from '../source-declaration.ts'

const block = /^@(\w{1,40})\s?(.*)$/
const labels: Record<string, string> = {
  return: 'Returns',
  throws: 'Throws',
  exception: 'Throws',
  deprecated: 'Deprecated',
  since: 'Since',
}
const omitted = new Set(['author', 'version', 'see', 'serial', 'serialData', 'serialField', 'hidden'])
const inline = /\{@(\w{1,30})\s([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g

/** Javadoc, which is HTML with tags, as blocks. */
export async function javadocPieces({ text, line }: Comment): Promise<Piece[]> {
  const html = withBlockTags(text.replace(inline, inlineTag))
  const { sections } = await htmlReader(`<html><body><main>${html}</main></body></html>`, {
    path: 'docs.html',
    readFile: () => undefined,
  })
  return sections.flatMap(({ headings, blocks }) => [
    ...(headings.length > 0 ? [{ kind: 'prose' as const, text: `**${headings.at(-1)}**`, line }] : []),
    ...blocks.map((each) => ({ ...each, line, ...(each.kind === 'code' && each.language === '' && { language: 'java' }) })),
  ])
}

function inlineTag(_: string, tag: string, content: string): string {
  if (tag === 'code' || tag === 'literal' || tag === 'snippet') return `<code>${escaped(content.replace(/^\n/, ''))}</code>`
  if (tag === 'link' || tag === 'linkplain')
    return `<code>${escaped((content.split(/\s+/)[0] ?? '').replace(/^#/, '').replace('#', '.'))}</code>`
  return tag === 'inheritDoc' ? '' : escaped(content)
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Tags at the start of rows as a list. */
function withBlockTags(text: string): string {
  const rows = text.split('\n')
  const first = rows.findIndex((row) => block.test(row))
  if (first < 0) return text
  const tags: string[] = []
  let isOmitted = false
  for (const row of rows.slice(first)) {
    const [, tag, rest = ''] = block.exec(row) ?? []
    if (tag === undefined) {
      if (!isOmitted) tags.push(`${tags.pop() ?? ''} ${row}`)
      continue
    }
    isOmitted = omitted.has(tag)
    if (isOmitted) continue
    const [name = '', ...words] = rest.trim().split(/\s+/)
    const isNamed = /^(?:param|throws|exception)$/.test(tag)
    const label = labels[tag] === undefined ? '' : `<b>${labels[tag]}</b>`
    tags.push(isNamed ? `${label} <b>${escaped(name)}</b>: ${words.join(' ')}` : `${label || tag}: ${rest}`)
  }
  return `${rows.slice(0, first).join('\n')}<ul>${tags.map((tag) => `<li>${tag.trim()}</li>`).join('')}</ul>`
}
