import type { Piece } from '../../page/build-page.ts'
import { markdownDocs } from '../markdown-docs.ts'
import type { Comment } from '../source-declaration.ts'

const blockTag = /^@(\w{1,40})\b\s?(.*)$/
const link = /\{@(?:link|linkcode|linkplain|inheritDoc|see)\s([^{}]{1,600})\}/g
const withLinks = (text: string): string => text.replace(link, (_, inner: string) => `\`${inner.trim().split(/[|\s]/, 1)[0]}\``)
const labels: Record<string, string> = {
  returns: 'Returns',
  return: 'Returns',
  throws: 'Throws',
  deprecated: 'Deprecated',
  default: 'Default',
  defaultValue: 'Default',
  since: 'Since',
}

/** True if a declaration is not for users. */
export const isInternal = (comment: Comment | undefined): boolean =>
  /^@(?:internal|hidden|ignore|private)\b/m.test(comment?.text ?? '')

/** TSDoc as blocks: Markdown with tags. */
export function tsdocPieces({ text, line }: Comment): Piece[] {
  const written: string[] = []
  let [isCode, isExample, isRaw] = [false, false, false]
  const endExample = () => {
    while (isRaw && written.at(-1) === '') written.pop()
    if (isRaw) written.push('```')
    isExample = false
    isRaw = false
  }
  for (const row of text.split('\n')) {
    const [, tag, rest = ''] = isCode ? [] : (blockTag.exec(row) ?? [])
    if (tag !== undefined) {
      endExample()
      if (tag === 'example') written.push('', `**Example** ${rest.replace(/<\/?caption>/g, '')}`.trim(), '')
      else written.push(...(tag === 'remarks' ? [rest] : [`- ${tagLine(tag, rest)}`]))
      isExample = tag === 'example'
      continue
    }
    if (/^\s{0,3}```/.test(row)) isCode = !isCode
    // Code of an example that has no fence.
    if (isExample && row.trim() !== '' && !isRaw) {
      isRaw = !isCode && !/^\s{0,3}```/.test(row)
      if (isRaw) written.push('```ts')
      isExample = false
    }
    written.push(isCode || isRaw ? row : withLinks(row))
  }
  endExample()
  return markdownDocs(written.join('\n'), line)
}

function tagLine(tag: string, rest: string): string {
  const label = labels[tag]
  if (label !== undefined) return `${label}: ${withLinks(rest)}`
  const named = rest.replace(/^\{[^{}]{0,300}\}/, '').trimStart()
  const [name = ''] = /^\[?[\w.$]{1,100}\]?/.exec(named) ?? []
  const text = named.slice(name.length).trimStart().replace(/^-/, '').trimStart()
  return /^(?:param|typeParam|template|property|prop)$/.test(tag) ? `\`${name}\`: ${withLinks(text)}` : `${tag}: ${rest}`
}
