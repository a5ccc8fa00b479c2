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

/** Cleans prose: links and images become their text, tags and expressions are dropped, entities decoded, code kept. */
export function cleanInline(text: string, options: InlineOptions): string {
  if (!special.test(text)) return text
  const out: string[] = []
  const brackets: { at: number; start: number }[] = []
  const closers = codeSpans(text)
  const lastComment = text.lastIndexOf('-->')
  const components = new Set<string>()
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
    if (char === '\\') {
      if (options.jsx && /[<{}]/.test(text[i + 1] ?? '')) take(i + 1, '')
      else i++
      i++
    } else if (char === '`') i = closers.get(i) ?? endOfRun(text, i)
    else if (char === '<') {
      const markup = text.startsWith('<!--', i) ? readComment(text, i, lastComment) : readMarkup(text, i, options, components)
      if (markup) take(markup.end, markup.text)
      else i++
    } else if (char === '&') {
      const entity = decodeEntity(text, i)
      if (entity) take(entity.end, entity.text)
      else i++
    } else if (char === '+' && text[i + 1] === '+') {
      const keys = keysAt(text, i)
      if (keys) take(keys.end, keys.text)
      else i = endOfRun(text, i)
    } else if (char === '{' && text[i + 1] === '{') i += 2
    else if (char === '{' && !options.jsx) {
      const role = roleAt(text, i, closers)
      if (role) take(role.end, role.text)
      else i++
    } else if (char === '{') {
      const end = endOfExpression(text.slice(i, i + maxExpression), 0)
      if (end === undefined) i++
      else take(i + end, stringIn(text.slice(i + 1, i + end - 1)))
    } else if (char === '[' || (char === '!' && text[i + 1] === '[')) {
      flush()
      const start = i + (char === '!' ? 2 : 1)
      brackets.push({ at: out.length, start })
      out.push(text.slice(i, start))
      i = start
      plain = start
    } else if (char === ']') {
      const open = brackets.pop()
      const end = open && (endOfLink(text, i, open.start, options.references) ?? endOfSpan(text, i + 1))
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
function keysAt(text: string, at: number): { end: number; text: string } | undefined {
  const [all = '', keys = ''] =
    /^\+\+((?:[a-z\d-]+|"[^"\n+]+")(?:\+(?:[a-z\d-]+|"[^"\n+]+"))*)\+\+(?![\w+])/.exec(text.slice(at, at + 100)) ?? []
  if (all === '' || /\w/.test(text.charAt(at - 1))) return undefined
  const names = keys
    .split('+')
    .map((key) => (key.startsWith('"') ? key.slice(1, -1) : key.charAt(0).toUpperCase() + key.slice(1)))
  return { end: at + all.length, text: `\`${names.join('+')}\`` }
}

/** A role of MyST, `{func}`jax.jit``: `closers` maps the start of each code span to its end. */
function roleAt(text: string, at: number, closers: Map<number, number>): { end: number; text: string } | undefined {
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

const readComment = (text: string, at: number, last: number): { end: number; text: string } | undefined =>
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

/** `components`: names of the tags that were markup so far; their closing tags are, too. */
function readMarkup(
  text: string,
  at: number,
  { jsx }: InlineOptions,
  components: Set<string>,
): { end: number; text: string } | undefined {
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
