/** Text of a source file that a reader of the page does not see. */
export type HiddenText = {
  text: string
  at: number
  how: string
  /** It is hidden only if the page does not show it. */
  ifUnseen?: true
  /** People see it, or hear it, although the page's text may lack it. */
  isShown?: true
}

const comments: [open: string, close: string][] = [
  ['<!--', '-->'],
  ['{/*', '*/}'],
  ['////\n', '\n////'],
]
/** Definitions of links that nothing uses, of Markdown. */
const markdownComment = /^[ \t]*\[(?:\/\/|comment|#|_|\^?hidden|note)\]:[^\n]*/gm
const rstComment = /^[ \t]*\.\. (?![^\n:]*::|_|\[|\|)[^\n]+(?:\n[ \t]+[^\n]+){0,30}/gm
const lineComments: [RegExp, RegExp][] = [
  [/\.rst$|\.txt$/i, rstComment],
  [/\.(?:adoc|asciidoc|asc)$/i, /^\/\/(?!\/)[^\n]*/gm],
  [/\.(?:ya?ml|toml)$/i, /^[ \t]*#[^\n]*/gm],
]
const openTag = /<([a-z][a-z0-9-]{0,20})\s([^<>]{1,1000})>/gi
const hides =
  /display\s*:\s*['"]?none|visibility\s*:\s*['"]?(?:hidden|collapse)|font-?size\s*:\s*['"]?0(?:\.\d+)?(?:px|pt|em|rem|%)?\s*(?:[;'"}!,]|$)|font-?size\s*:\s*['"]?1px|opacity\s*:\s*['"]?0(?:\.0\d*)?\s*(?:[;'"}!,]|$)|(?:left|top|text-?indent)\s*:\s*['"]?-\d{3,}|(?:max-?)?(?:height|width)\s*:\s*['"]?0(?:px)?\s*(?:[;'"}!,]|$)|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?:^|[\s;"'{])color\s*:\s*['"]?(?:#f{3,8}\b|white|transparent|rgba?\(\s*255\s*,\s*255\s*,\s*255|rgba\([^)]*,\s*0\s*\))|(?:^|\s)hidden(?:\s|=|$)|aria-hidden\s*=\s*["']?true|class(?:name)?\s*=\s*["'][^"']*\b(?:hidden|invisible|sr-only|visually-hidden|d-none|opacity-0|text-white|text-transparent|text-\[0px\])\b/i
const namedTag = /<(template|noscript|script|style|object|picture|metadata|desc)\b/gi
/** Texts that people see if they point at something, hear from a screen reader, or never get. */
const attribute =
  /\b(alt|title|content|aria-label|aria-description|data-[a-z-]{1,40}|placeholder|summary)\s*=\s*(?:"([^"]{30,2000})"|'([^']{30,2000})')/gi
const shownAttribute = /^(?:alt|title|aria-label|aria-description|placeholder|summary)$/i
const maxHidden = 10_000
const maxPieces = 2_000

/** The hidden parts of a source file: comments, elements that a style hides, attributes, and invisible characters. Code is visible. */
export function hiddenTexts(file: string, path: string): HiddenText[] {
  const found: HiddenText[] = []
  const add = (text: string, at: number, how: string, isShown = false) => {
    if (found.length < maxPieces && text.trim() !== '')
      found.push({ text: text.slice(0, maxHidden), at, how, ...(isShown && { isShown }) })
  }
  const source = withoutCode(file, path)
  for (const [open, close] of comments)
    for (let at = source.indexOf(open); at >= 0; ) {
      const end = source.indexOf(close, at + open.length)
      if (end < 0) break
      add(file.slice(at + open.length, end), at, 'a comment')
      at = source.indexOf(open, end + close.length)
    }
  for (const match of source.matchAll(markdownComment)) add(match[0], match.index, 'a comment')
  for (const [ending, pattern] of lineComments)
    if (ending.test(path)) for (const match of source.matchAll(pattern)) add(match[0], match.index, 'a comment')
  if (source.includes('<')) {
    for (const match of source.matchAll(openTag)) {
      const [tag, name = '', attributes = ''] = match
      const isHidden = hides.test(attributes)
      if (isHidden) add(elementText(source, name, match.index + tag.length), match.index, 'a style')
      for (const [, key = '', double, single] of attributes.matchAll(attribute))
        add(double ?? single ?? '', match.index, 'an attribute', !isHidden && shownAttribute.test(key))
    }
    for (const match of source.matchAll(namedTag))
      add(elementText(source, match[1] ?? '', match.index + match[0].length), match.index, 'an element')
  }
  for (const { text, at } of invisibleTexts(file)) add(text, at, 'invisible characters')
  if (/\.(?:json|ipynb|ya?ml)$/i.test(path)) found.push(...stringsIn(file))
  return found
}

/** The source with spaces in the place of fenced blocks and code in a line. */
export function withoutCode(source: string, path: string): string {
  const isMarkdown = !/\.(?:rst|adoc|asciidoc|txt)$/i.test(path)
  if (!source.includes('`') && !source.includes('~~~')) return source
  let fence = ''
  return source
    .split('\n')
    .map((line) => {
      const marks = /^ {0,12}(`{3,}|~{3,}|-{4,}$|\.{4,}$)/.exec(line)?.[1] ?? ''
      if (fence === '' && marks === '')
        return isMarkdown && line.includes('`') ? line.replace(/`[^`]+`/g, (code) => ' '.repeat(code.length)) : line
      if (fence === '') fence = marks
      else if (marks.startsWith(fence)) fence = ''
      return ' '.repeat(line.length)
    })
    .join('\n')
}

/** Sentences in fields that readers may leave out. */
function stringsIn(source: string): HiddenText[] {
  const strings: HiddenText[] = []
  for (const { 1: text = '', index: at } of source.matchAll(/"((?:[^"\\\n]|\\.){30,4000})"/g))
    if (text.includes(' ') && strings.length < maxPieces)
      strings.push({ text: text.replace(/\\[nrt]/g, ' ').replaceAll('\\', ''), at, how: 'a field', ifUnseen: true })
  return strings
}

/** The text up to the end tag, without tags. */
function elementText(source: string, name: string, from: number): string {
  const text = source.slice(from, from + maxHidden)
  const end = text.indexOf(`</${name}`)
  return text.slice(0, end < 0 ? 500 : end).replace(/<[^<>]{0,500}>/g, ' ')
}

const tagRun = /[\u{e0020}-\u{e007e}]{4,}/gu
const selectorRun = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{8,}/gu
const zeroWidthRun = /(?:\u200b|\u200c|\u200d|[\u2060-\u2064\ufeff]){16,}/g
const flag = '\u{1f3f4}'

/** The texts in runs of invisible characters: tag characters are ASCII, variation selectors bytes, two zero-width characters bits. */
function* invisibleTexts(source: string): Generator<{ text: string; at: number }> {
  if (/^[\t\n\r -~]*$/.test(source)) return
  for (const match of source.matchAll(tagRun)) {
    if (source.slice(match.index - flag.length, match.index) === flag) continue
    yield {
      text: String.fromCodePoint(...[...match[0]].map((char) => (char.codePointAt(0) as number) - 0xe0000)),
      at: match.index,
    }
  }
  for (const match of source.matchAll(selectorRun)) {
    const bytes = [...match[0]]
      .map((char) => char.codePointAt(0) as number)
      .map((code) => (code < 0xfe10 ? code - 0xfe00 : code - 0xe0100 + 16))
    yield { text: Buffer.from(bytes).toString('utf8'), at: match.index }
  }
  for (const match of source.matchAll(zeroWidthRun)) {
    const [zero] = match[0]
    const bits = [...match[0]].map((char) => (char === zero ? '0' : '1')).join('')
    const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
    yield { text: Buffer.from(bytes).toString('latin1'), at: match.index }
    yield { text: Buffer.from(bytes.map((byte) => 255 - byte)).toString('latin1'), at: match.index }
  }
}

/** An invisible character inside a word, which splits it for a filter and not for a model. */
export const splitsWords = (text: string): boolean =>
  /[a-z][\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+[a-z]/i.test(text)
