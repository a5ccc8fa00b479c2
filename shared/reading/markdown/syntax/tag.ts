/** An HTML or JSX tag in a text; `end` is the index after its `>`. */
export type Tag = { name: string; end: number; closing: boolean; selfClosing: boolean; attributes: Record<string, string> }

const maxTagLength = 4000
const nameChar = /[\w.:-]/

/** Reads the tag that starts at `text[at] === '<'`; JSX attributes may hold `>` in braces, HTML ones in quotes. */
export function readTag(text: string, at: number, maxLength = maxTagLength): Tag | undefined {
  let i = at + 1
  const closing = text[i] === '/'
  if (closing) i++
  const nameStart = i
  if (text[i] !== '>' && !/[A-Za-z]/.test(text[i] ?? '')) return undefined
  while (i < text.length && nameChar.test(text.charAt(i))) i++
  const name = text.slice(nameStart, i)
  if (name.includes(':') && /^(https?|mailto|ftp):/.test(text.slice(nameStart, nameStart + 8))) return undefined
  const end = tagEnd(text, i, Math.min(text.length, i + maxLength))
  if (end === undefined) return undefined
  const inner = text.slice(i, end - 1)
  return { name, end, closing, selfClosing: inner.endsWith('/'), attributes: attributesIn(inner) }
}

function tagEnd(text: string, from: number, last: number): number | undefined {
  if (!/[\s/>]/.test(text[from] ?? '')) return undefined
  let quote = ''
  let braces = 0
  for (let i = from; i < last; i++) {
    const char = text.charAt(i)
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'" || (char === '`' && braces > 0)) quote = char
    else if (char === '{') braces++
    else if (char === '}') braces--
    else if (braces > 0) continue
    else if (char === '>') return i + 1
    else if (char === '<') return undefined
  }
  return undefined
}

const attributePattern =
  /([\w:@#.-]{1,60})(?:\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|\{\s*["'`]([^"'`]*)["'`]\s*\}|\{([^{}]*)\}|([^\s"'{}>]+)))?/g

function attributesIn(inner: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', ...values] of inner.matchAll(attributePattern)) {
    attributes[name.toLowerCase()] ??= values.find((value) => value !== undefined) ?? ''
  }
  return attributes
}

const elements = new Set(
  `a abbr address article aside audio b bdi bdo big blockquote body br button canvas caption center cite code col colgroup
  data dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header
  hr html i iframe img input ins kbd label legend li link main map mark menu meta nav noscript object ol optgroup option p
  param path picture pre progress q rp rt ruby s samp script section select small source span strike strong style sub summary
  sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr`.split(/\s+/),
)

export const isElement = (name: string): boolean => elements.has(name) || elements.has(name.toLowerCase())

/** True if a tag in prose is markup; `Promise<string>` and `<your-key>` are text. */
export function isMarkup(tag: Tag, before: string): boolean {
  if (elements.has(tag.name.toLowerCase()) || tag.name === '') return true
  if (/\w/.test(before)) return false
  return /^[A-Z]/.test(tag.name) || tag.selfClosing || Object.values(tag.attributes).some((value) => value !== '')
}
