import { decodeEntity } from './decode-entity.ts'
import { readTag } from './tag.ts'

/** The code in a `<pre>`: drops tags and line breaks at the ends, and decodes entities. */
export function codeInHtml(content: string): string {
  const out: string[] = []
  let plain = 0
  let i = 0
  const take = (end: number, text: string) => {
    out.push(content.slice(plain, i), text)
    i = end
    plain = end
  }
  while (i < content.length) {
    const char = content.charAt(i)
    const tag = char === '<' ? readTag(content, i) : undefined
    const entity = char === '&' ? decodeEntity(content, i) : undefined
    if (tag) take(tag.end, /^br$/i.test(tag.name) ? '\n' : '')
    else if (entity) take(entity.end, entity.text)
    else i++
  }
  out.push(content.slice(plain))
  return out
    .join('')
    .replace(/^[ \t]*\n/, '')
    .replace(/\n[ \t]*$/, '')
}
