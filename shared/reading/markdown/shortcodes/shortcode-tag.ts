/**
 * A tag of a site generator: `{{< name a b=c >}}` and `{{% name %}}` (Hugo), `{% name %}` (Liquid, Hexo, GitBook, Markdoc), `[name=x]` (Grav),
 * `<!-- tab name -->` (Hexo). `start` and `end` are its place in the text.
 */
export type ShortcodeTag = {
  syntax: 'hugo' | 'liquid' | 'bracket' | 'comment'
  /** In lower case, without `end` and `/`. */
  name: string
  closing: boolean
  selfClosing: boolean
  /** Hugo's `{{< >}}`, whose body is not Markdown unless the shortcode reads it so. */
  isPlain: boolean
  words: string[]
  named: Record<string, string>
  start: number
  end: number
}

const maxLength = 4000
const trigger = /\{\{[<%]|\{%|\[\/[a-z]|<!--[ \t]{0,9}tab\b/

/** A fast test for texts without tags. */
export const mayHoldShortcodes = (text: string): boolean => trigger.test(text)

/** Positions in a line at which a tag may start. */
export const tagStart = /\{\{[<%](?!\/\*)|(?<!\{)\{%|\[(?=[a-z/])|<!--[ \t]{0,9}(?=(?:end)?tab\b)/g

/** Reads the tag that starts at `text[start]`; undefined if it has no end or is something else. `brackets`: names of tags in brackets. */
export function readShortcode(text: string, start: number, brackets: ReadonlySet<string>): ShortcodeTag | undefined {
  if (text.startsWith('{{', start)) return hugoTag(text, start)
  if (text.startsWith('{%', start)) return liquidTag(text, start)
  return text[start] === '[' ? bracketTag(text, start, brackets) : commentTag(text, start)
}

/** The text between two delimiters, at most `maxLength` characters long. */
function between(text: string, start: number, length: number, close: string): { inner: string; end: number } | undefined {
  const part = text.slice(start + length, start + length + maxLength)
  const at = part.indexOf(close)
  return at < 0 ? undefined : { inner: part.slice(0, at), end: start + length + at + close.length }
}

function hugoTag(text: string, start: number): ShortcodeTag | undefined {
  const mark = text.charAt(start + 2)
  const found = between(text, start, 3, mark === '<' ? '>}}' : '%}}')
  const [, slash = '', name = '', rest = ''] =
    (found && /^(\/?)\s{0,9}([\w./-]*[\w.-])(?![\w.-])(\/?$|\s.*)$/s.exec(found.inner.trim())) ?? []
  if (!found || name === '') return undefined
  const selfClosing = rest.trimEnd().endsWith('/')
  return {
    syntax: 'hugo',
    name: (name.split('/').at(-1) ?? '').toLowerCase(),
    closing: slash !== '',
    selfClosing,
    isPlain: mark === '<',
    ...readArguments(selfClosing ? rest.trimEnd().slice(0, -1) : rest),
    start,
    end: found.end,
  }
}

function liquidTag(text: string, start: number): ShortcodeTag | undefined {
  const found = between(text, start, 2, '%}')
  const [, slash = '', name = '', rest = ''] =
    (found && /^-?\s{0,9}(\/?)\s{0,9}([#.]?[A-Za-z][\w.-]*)(.*)$/s.exec(found.inner)) ?? []
  if (!found || name === '') return undefined
  const inner = rest.replace(/-$/, '')
  const selfClosing = inner.trimEnd().endsWith('/')
  const isEnd = /^end[a-z_]/i.test(name)
  return {
    syntax: 'liquid',
    name: (isEnd ? name.replace(/^end_?/i, '') : name).toLowerCase(),
    closing: slash !== '' || isEnd,
    selfClosing,
    isPlain: false,
    ...readArguments(selfClosing ? inner.trimEnd().slice(0, -1) : inner),
    start,
    end: found.end,
  }
}

function bracketTag(text: string, start: number, brackets: ReadonlySet<string>): ShortcodeTag | undefined {
  if (brackets.size === 0) return undefined
  const [all = '', slash = '', name = '', rest = ''] =
    /^\[(\/?)([a-z][\w-]{0,40})((?:=|[ \t])[^\][\n]{0,1000})?\](?![(:])/.exec(text.slice(start, start + 1100)) ?? []
  if (!brackets.has(name)) return undefined
  const given = rest.startsWith('=') ? rest.slice(1) : rest
  return {
    syntax: 'bracket',
    name,
    closing: slash !== '',
    selfClosing: false,
    isPlain: false,
    ...readArguments(given),
    start,
    end: start + all.length,
  }
}

function commentTag(text: string, start: number): ShortcodeTag | undefined {
  const found = between(text, start, 4, '-->')
  const [, end, label = ''] = (found && /^\s*(end)?tab\b([^\n]*)$/.exec(found.inner)) ?? []
  if (!found) return undefined
  const [name = ''] = label.trim().split('@')
  const words = name === '' ? [] : [name]
  return {
    syntax: 'comment',
    name: 'tab',
    closing: end !== undefined,
    selfClosing: false,
    isPlain: false,
    words,
    named: {},
    start,
    end: found.end,
  }
}

const argument =
  /([\w-]+)\s{0,20}=\s{0,20}(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|([^\s"'`,]+))|"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|([^\s"'`,]+)/g

function readArguments(text: string): Pick<ShortcodeTag, 'words' | 'named'> {
  const words: string[] = []
  const named: Record<string, string> = {}
  for (const [, name, ...values] of text.matchAll(argument)) {
    const value = (values.find((each) => each !== undefined) ?? '').replace(/\\(["\\])/g, '$1')
    if (name === undefined) words.push(value)
    else named[name.toLowerCase()] ??= value
  }
  return { words, named }
}
