import { decodeEntity } from './markdown-entities.ts'
import { isMarkup, readTag, type Tag } from './markdown-tags.ts'

export type InlineOptions = {
  /** Labels of the page's link reference definitions, normalized by `referenceKey`. */
  references: ReadonlySet<string>
  /** Text in braces is a JSX expression, and every tag is markup. */
  jsx: boolean
}

const special = /[\\`<&[\]!{]/
const maxTarget = 1000
const maxLabel = 999

export const referenceKey = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase()

/** Prose without its noise: links and images become their text, tags and expressions go, entities are decoded, code stays. */
export function cleanInline(text: string, options: InlineOptions): string {
  if (!special.test(text)) return text
  const out: string[] = []
  const brackets: { at: number; start: number; image: boolean }[] = []
  const closers = codeSpans(text)
  const lastComment = text.lastIndexOf('-->')
  let plain = 0
  let i = 0
  const flush = () => {
    if (i > plain) out.push(text.slice(plain, i))
  }
  const take = (end: number, replacement: string) => {
    flush()
    if (replacement !== '') out.push(replacement)
    i = end
    plain = end
  }
  while (i < text.length) {
    const char = text.charAt(i)
    if (char === '\\') i += 2
    else if (char === '`') i = closers.get(i) ?? endOfRun(text, i)
    else if (char === '<') {
      const markup = text.startsWith('<!--', i) ? readComment(text, i, lastComment) : readMarkup(text, i, options)
      if (markup) take(markup.end, markup.text)
      else i++
    } else if (char === '&') {
      const entity = decodeEntity(text, i)
      if (entity) take(entity.end, entity.text)
      else i++
    } else if (char === '{' && options.jsx) {
      const end = endOfBraces(text, i)
      if (end === undefined) i++
      else take(end, stringIn(text.slice(i + 1, end - 1)))
    } else if (char === '[' || (char === '!' && text[i + 1] === '[')) {
      flush()
      const image = char === '!'
      brackets.push({ at: out.length, start: i + (image ? 2 : 1), image })
      out.push(image ? '![' : '[')
      i += image ? 2 : 1
      plain = i
    } else if (char === ']') {
      const open = brackets.pop()
      const end = open && endOfLink(text, i, open.start, options.references)
      if (open && end !== undefined) {
        take(end, '')
        out[open.at] = ''
      } else i++
    } else i++
  }
  i = text.length
  flush()
  return out.join('')
}

/** A heading's or a title's text, without any markup. */
export function plainText(text: string, options: InlineOptions): string {
  const clean = cleanInline(text.slice(0, maxLabel).replace(/\s*\{[:#.][^{}]*\}\s*$/, ''), options)
  const parts = clean.split(/(`+[^`]+`+)/)
  const words = parts.map((part, i) => (i % 2 === 1 ? part.replace(/^`+ ?| ?`+$/g, '') : withoutEmphasis(part)))
  return words.join('').replace(/\s+/g, ' ').trim()
}

const withoutEmphasis = (text: string): string =>
  text
    .replace(/(?<!\\)\*{1,3}([^*]+)\*{1,3}/g, '$1')
    .replace(/(?<![\w\\])_{1,3}([^_]*[^_\w][^_]*|[^_\W]+)_{1,3}(?!\w)/g, (all, inner: string) =>
      all.startsWith('__') && /^\w+$/.test(inner) ? all : inner,
    )
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')

/** Where each code span that starts at an index ends. */
function codeSpans(text: string): Map<number, number> {
  const spans = new Map<number, number>()
  const runs = [...text.matchAll(/`+/g)]
  const later = new Map<number, number[]>()
  for (const { 0: run, index } of runs.toReversed()) {
    const ends = later.get(run.length) ?? []
    const end = ends.at(-1)
    if (end !== undefined) spans.set(index, end)
    ends.push(index + run.length)
    later.set(run.length, ends)
  }
  return spans
}

function endOfRun(text: string, at: number): number {
  let end = at
  while (text[end] === '`') end++
  return end
}

const readComment = (text: string, at: number, last: number): { end: number; text: string } | undefined =>
  last < at + 4 ? undefined : { end: text.indexOf('-->', at + 4) + 3, text: '' }

function readMarkup(text: string, at: number, { jsx }: InlineOptions): { end: number; text: string } | undefined {
  const tag = readTag(text, at)
  if (tag) return jsx || isMarkup(tag, text.charAt(at - 1)) ? { end: tag.end, text: textOf(tag) } : undefined
  const [link = '', target = ''] =
    /^<([A-Za-z][\w+.-]{1,31}:[^\s<>]{1,1000}|[^\s<>@]{1,100}@[^\s<>@]{1,200})>/.exec(text.slice(at, at + maxTarget)) ?? []
  return link === '' ? undefined : { end: at + link.length, text: target }
}

/** What of a tag in running text is text. */
function textOf({ name, attributes, closing }: Tag): string {
  if (/^(code|kbd|samp|tt)$/i.test(name)) return '`'
  if (/^br$/i.test(name)) return ' '
  if (/^img$/i.test(name)) return attributes['alt'] ?? ''
  if (/^(li|p|tr|div|h[1-6])$/i.test(name)) return '\n'
  if (/^t[dh]$/i.test(name)) return ' '
  const title = /^[A-Z]/.test(name) && !closing ? attributes['title'] : undefined
  return title ? `**${title}** ` : ''
}

/** Index behind the target of a link whose text ends at `close`; undefined where it is no link. */
function endOfLink(text: string, close: number, start: number, references: ReadonlySet<string>): number | undefined {
  const next = text[close + 1]
  if (next === '(') {
    const end = endOfTarget(text, close + 2)
    if (end !== undefined) return endOfAttributes(text, end)
  }
  if (close - start > maxLabel) return undefined
  if (next === '[') {
    const end = text.indexOf(']', close + 2)
    const label = end < 0 || end - close > maxLabel ? undefined : text.slice(close + 2, end)
    if (label !== undefined && isReference(text, start, label, references)) return end + 1
  }
  return references.has(referenceKey(text.slice(start, close))) ? close + 1 : undefined
}

/** `[text][label]`: defined on the page, or anywhere in the site (autorefs); `row[0][1]` is neither. */
function isReference(text: string, start: number, label: string, references: ReadonlySet<string>): boolean {
  return references.has(referenceKey(label)) || !/[\w\])]/.test(text.charAt(start - 2))
}

function endOfTarget(text: string, from: number): number | undefined {
  const last = Math.min(text.length, from + maxTarget)
  let depth = 1
  let quote = ''
  for (let i = from; i < last; i++) {
    const char = text.charAt(i)
    if (char === '\\') i++
    else if (char === '\n' && text[i + 1] === '\n') return undefined
    else if (quote !== '') {
      if (char === quote) quote = ''
    } else if ((char === '"' || char === "'") && /\s/.test(text.charAt(i - 1))) quote = char
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return i + 1
  }
  return undefined
}

/** Attribute lists behind a link: `{:target="_blank"}`, `{ .button }`. */
function endOfAttributes(text: string, at: number): number {
  if (text[at] !== '{') return at
  const [list = ''] = /^\{\s?[:.#][^{}\n]{0,200}\}/.exec(text.slice(at, at + 210)) ?? []
  return at + list.length
}

function endOfBraces(text: string, at: number): number | undefined {
  const last = Math.min(text.length, at + maxTarget)
  let depth = 0
  for (let i = at; i < last; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i + 1
  }
  return undefined
}

/** The text of an expression that is nothing but a string. */
const stringIn = (expression: string): string => /^\s*(["'`])((?:(?!\1|\$\{)[^\\])*)\1\s*$/.exec(expression)?.[2] ?? ''
