import { readRole } from '../../rst/rst-inline.ts'
import { decodeEntity } from './decode-entity.ts'
import { endOfExpression, stringIn } from './end-of-expression.ts'
import { endOfLink } from './end-of-link.ts'
import { isMarkup, readTag, type Tag } from './tag.ts'

export type InlineOptions = {
  /** Labels of the page's link reference definitions, normalized by `referenceKey`. */
  references: ReadonlySet<string>
  /** Text in braces is a JSX expression, and every tag is markup. */
  jsx: boolean
}

const special = /[\\`<&[\]!{]|\+\+[a-z"]/
const maxExpression = 1000
const maxHeading = 999

/** A mark in a text, with the text that replaces it. */
type Replacement = { end: number; text: string }

/** A text on the way. `plain` is the start of the text that is kept as it is. */
type Cleaning = {
  text: string
  options: InlineOptions
  out: string[]
  plain: number
  brackets: { at: number; start: number }[]
  /** Maps the start of each code span to its end. */
  closers: Map<number, number>
  lastComment: number
  /** Names of the tags that were markup so far; their closing tags are, too. */
  components: Set<string>
}

/** 1 for the characters at which `readMark` looks. */
const marks = new Uint8Array(128)
for (const char of '\\`<&+{[!]') marks[char.charCodeAt(0)] = 1

/** Cleans prose: links and images become their text, tags and expressions are dropped, entities decoded, code kept. */
export function cleanInline(text: string, options: InlineOptions): string {
  if (!special.test(text)) return text
  const cleaning = {
    ...{ text, options, out: [], plain: 0, brackets: [] },
    ...{ closers: codeSpans(text), lastComment: text.lastIndexOf('-->'), components: new Set<string>() },
  }
  for (let at = 0; at < text.length; ) at = marks[text.charCodeAt(at)] === 1 ? readMark(cleaning, at) : at + 1
  flush(cleaning, text.length)
  return cleaning.out.join('')
}

/** Returns the place after the mark. */
function readMark(cleaning: Cleaning, at: number): number {
  const { text, options, closers, lastComment } = cleaning
  switch (text.charAt(at)) {
    case '\\':
      return readEscape(cleaning, at)
    case '`':
      return closers.get(at) ?? endOfRun(text, at)
    case '<':
      return replace(cleaning, at, text.startsWith('<!--', at) ? readComment(text, at, lastComment) : readMarkup(cleaning, at))
    case '&':
      return replace(cleaning, at, decodeEntity(text, at))
    case '+':
      return text.startsWith('++', at) ? readKeys(cleaning, at) : at + 1
    case '{':
      if (text.startsWith('{{', at)) return at + 2
      return replace(cleaning, at, options.jsx ? expressionAt(text, at) : roleAt(text, at, closers))
    case '[':
      return openBracket(cleaning, at, at + 1)
    case '!':
      return text.startsWith('![', at) ? openBracket(cleaning, at, at + 2) : at + 1
    default:
      return closeBracket(cleaning, at)
  }
}

function flush({ text, out, plain }: Cleaning, end: number): void {
  if (end > plain) out.push(text.slice(plain, end))
}

function replace(cleaning: Cleaning, at: number, replacement: Replacement | undefined): number {
  if (!replacement) return at + 1
  flush(cleaning, at)
  if (replacement.text !== '') cleaning.out.push(replacement.text)
  cleaning.plain = replacement.end
  return replacement.end
}

function readEscape(cleaning: Cleaning, at: number): number {
  const { text, options } = cleaning
  if (options.jsx && /[<{}]/.test(text.charAt(at + 1))) replace(cleaning, at, { end: at + 1, text: '' })
  return at + 2
}

function readKeys(cleaning: Cleaning, at: number): number {
  const keys = keysAt(cleaning.text, at)
  return keys ? replace(cleaning, at, keys) : endOfRun(cleaning.text, at)
}

function expressionAt(text: string, at: number): Replacement | undefined {
  const end = endOfExpression(text.slice(at, at + maxExpression), 0)
  return end === undefined ? undefined : { end: at + end, text: stringIn(text.slice(at + 1, at + end - 1)) }
}

function openBracket(cleaning: Cleaning, at: number, start: number): number {
  flush(cleaning, at)
  cleaning.brackets.push({ at: cleaning.out.length, start })
  cleaning.out.push(cleaning.text.slice(at, start))
  cleaning.plain = start
  return start
}

function closeBracket(cleaning: Cleaning, at: number): number {
  const { text, options, out, brackets } = cleaning
  const open = brackets.pop()
  const end = open && (endOfLink(text, at, open.start, options.references) ?? endOfSpan(text, at + 1))
  if (!open || end === undefined) return at + 1
  const after = replace(cleaning, at, { end, text: '' })
  out[open.at] = ''
  return after
}

/** The end of the attributes in Pandoc's `[words]{.underline}`, which start at `from`; undefined if there are none. */
function endOfSpan(text: string, from: number): number | undefined {
  if (text[from] !== '{') return undefined
  const [attributes] = /^\{[.#][^{}\n]{1,200}\}/.exec(text.slice(from, from + 210)) ?? []
  return attributes === undefined ? undefined : from + attributes.length
}

/** A heading's or a title's text, without any markup. */
export function plainText(text: string, options: InlineOptions): string {
  const clean = cleanInline(withoutAttributes(text.slice(0, maxHeading), options), options)
  const parts = clean.split(/(`+[^`]+`+)/)
  const words = parts.map((part, i) => (i % 2 === 1 ? part.replace(/^`+ ?| ?`+$/g, '') : withoutEmphasis(part)))
  return words.join('').replace(/\s+/g, ' ').trim()
}

/** Drops `{#anchor}`, `{id="anchor"}`, an anchor in a JSX comment and Elastic's `[some-anchor]`, which are no words of a heading. */
const withoutAttributes = (heading: string, { references }: InlineOptions): string =>
  heading
    .replace(/\{\/\*[^{}]*\*\/\}/g, '')
    .trimEnd()
    .replace(/\{\s?(?:[:#.]|[\w-]{1,50}=["'])[^{}]*\}$/, '')
    .trimEnd()
    .replace(/(?<=\S)\s\[([a-z0-9$%.]+(?:[-_][a-z0-9$%.]*)+)\](?=\s|$)/, (all, anchor: string) =>
      references.has(anchor) ? all : '',
    )

const withoutEmphasis = (text: string): string =>
  text
    .replace(/(?<!\\)\*{1,3}([^*]+)\*{1,3}/g, '$1')
    .replace(/(?<![\w\\])_{1,3}([^_]*[^_\w][^_]*|[^_\W]+)_{1,3}(?!\w)/g, (all, inner: string) =>
      all.startsWith('__') && /^\w+$/.test(inner) ? all : inner,
    )
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')

/** Maps the start of each code span to its end. */
function codeSpans(text: string): Map<number, number> {
  const spans = new Map<number, number>()
  if (!text.includes('`')) return spans
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
  while (text[end] === text[at]) end++
  return end
}

/** The keys of pymdownx, `++ctrl+alt+del++`. */
function keysAt(text: string, at: number): Replacement | undefined {
  const [all = '', keys = ''] =
    /^\+\+((?:[a-z\d-]+|"[^"\n+]+")(?:\+(?:[a-z\d-]+|"[^"\n+]+"))*)\+\+(?![\w+])/.exec(text.slice(at, at + 100)) ?? []
  if (all === '' || /\w/.test(text.charAt(at - 1))) return undefined
  const names = keys
    .split('+')
    .map((key) => (key.startsWith('"') ? key.slice(1, -1) : key.charAt(0).toUpperCase() + key.slice(1)))
  return { end: at + all.length, text: `\`${names.join('+')}\`` }
}

/** A role of MyST, `{func}`jax.jit``: `closers` maps the start of each code span to its end. */
function roleAt(text: string, at: number, closers: Map<number, number>): Replacement | undefined {
  const [all = '', role = ''] = /^\{([A-Za-z][\w:+-]{0,40})\}(?=`)/.exec(text.slice(at, at + 50)) ?? []
  const start = at + all.length
  const end = all === '' ? undefined : closers.get(start)
  if (end === undefined) return undefined
  const content = withoutTicks(text.slice(start, end))
  return { end, text: readRole(role, content.trim()) }
}

function withoutTicks(text: string): string {
  const isTick = (at: number) => text.charAt(at) === '`'
  let [from, to] = [0, text.length]
  while (from < to && isTick(from)) from += 1
  while (to > from && isTick(to - 1)) to -= 1
  return text.slice(from, to)
}

const readComment = (text: string, at: number, last: number): Replacement | undefined =>
  last < at + 4 ? undefined : { end: text.indexOf('-->', at + 4) + 3, text: '' }

/** Elements of Writerside inside a sentence. */
const writersideWords = new Set([
  'control',
  'ui-path',
  'shortcut',
  'emphasis',
  'format',
  'resource',
  'step',
  'list',
  'tldr',
  'def',
])

function readMarkup({ text, options: { jsx }, components }: Cleaning, at: number): Replacement | undefined {
  const tag = readTag(text, at)
  if (tag) {
    const isComponent = tag.closing && components.has(tag.name)
    if (!isComponent && !isMarkup(tag, text.charAt(at - 1)) && !((jsx || writersideWords.has(tag.name)) && isPaired(tag, text)))
      return undefined
    components.add(tag.name)
    return { end: tag.end, text: textOf(tag) }
  }
  const [link = '', target = ''] =
    /^<([A-Za-z][\w+.-]{1,31}:[^\s<>]{1,1000}|[^\s<>@]{1,100}@[^\s<>@]{1,200})>/.exec(text.slice(at, at + maxExpression)) ?? []
  return link === '' ? undefined : { end: at + link.length, text: target }
}

/** True if an unknown tag is a component after all; `Promise<string>` is text in MDX, too. */
const isPaired = ({ name, end, closing, selfClosing }: Tag, text: string): boolean =>
  closing || selfClosing || text.includes(`</${name}>`, end)

/** The text that replaces a tag in prose. */
function textOf({ name, attributes, closing }: Tag): string {
  if (/^(code|kbd|samp|tt|shortcut)$/i.test(name)) return '`'
  if (/^br$/i.test(name)) return ' '
  if (/^img$/i.test(name)) return attributes.alt ?? ''
  if (/^(li|p|tr|div|h[1-6])$/i.test(name)) return '\n'
  if (/^t[dh]$/i.test(name)) return ' '
  const title = /^[A-Z]/.test(name) && !closing ? attributes.title : undefined
  return title ? `**${title}** ` : ''
}
