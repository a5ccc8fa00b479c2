/** The targets and substitutions that a page defines. Names are in lower case. */
export type RstNames = {
  targets: Set<string>
  substitutions: Map<string, string>
  /** Characters that substitutions may still add to the page: recursive definitions grow exponentially. */
  leftCharacters: number
}

const proseRoles = new Set(
  'abbr abbreviation any cite dfn doc download emphasis eq footcite guilabel index label menuselection numref ref strong sub subscript sup superscript t term title title-reference'.split(
    ' ',
  ),
)
const literalRoles = new Set('code command file kbd literal math program regexp samp'.split(' '))
const callableRoles = new Set(['func', 'meth'])
const markedText = /[`|\\_]/

/** Converts inline markup to Markdown: roles and links become their text, literals become inline code. */
export function rstInline(source: string, names: RstNames): string {
  if (!markedText.test(source)) return source
  const closers = { '`': true, '``': true }
  let out = ''
  let plain = ''
  let at = 0
  const flush = () => {
    out += readPlain(plain, names)
    plain = ''
  }
  while (at < source.length) {
    const char = source[at] ?? ''
    if (char === '\\') {
      flush()
      out += readEscape(source[at + 1] ?? '')
      at += 2
      continue
    }
    const mark = source.startsWith('``', at) ? '``' : '`'
    const from = at + mark.length
    const end = char === '`' && closers[mark] ? endOfSpan(source, from, mark) : -1
    if (char !== '`' || end < 0 || /\s/.test(source[from] ?? ' ')) {
      if (char === '`' && end < 0) closers[mark] = false
      plain += char === '`' ? mark : char
      at += char === '`' ? mark.length : 1
      continue
    }
    const content = source.slice(from, end)
    at = end + mark.length
    if (mark === '``') {
      flush()
      out += inlineCode(content)
      continue
    }
    const before = /:([a-z][\w.+:-]{0,60}):$/i.exec(plain.slice(-64))
    const after = /^(?::([a-z][\w.+:-]{0,60}):|__?(?!\w))/i.exec(source.slice(at, at + 64))
    if (before) plain = plain.slice(0, -before[0].length)
    else if (after) at += after[0].length
    if (/(^|\W)_$/.test(plain.slice(-2))) plain = plain.slice(0, -1)
    const role = before?.[1] ?? after?.[1]
    flush()
    out += role === undefined && after ? titleOf(dropEscapes(content)) : readRole(role ?? '', dropEscapes(content))
  }
  flush()
  return out
}

/** Text in backticks, with more of them than it holds itself. */
export function inlineCode(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  if (flat === '') return ''
  const maxRun = [...flat.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 0)
  const mark = '`'.repeat(maxRun + 1)
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : ''
  return `${mark}${pad}${flat}${pad}${mark}`
}

function endOfSpan(source: string, from: number, mark: '`' | '``'): number {
  let end = source.indexOf(mark, from + 1)
  if (mark === '``') return end >= 0 && source[end + 2] === '`' ? end + 1 : end
  while (end >= 0 && (source[end - 1] === '\\' || /\s/.test(source[end - 1] ?? ''))) end = source.indexOf('`', end + 1)
  return end
}

/** An escaped white space is dropped, which joins its neighbours. A backslash that Markdown needs too stays. */
function readEscape(char: string): string {
  if (/\s/.test(char)) return ''
  return char === '*' || char === '`' ? `\\${char}` : char
}

const dropEscapes = (text: string): string => text.replace(/\\(\s|(?=.))/g, '')

/** The Markdown for an interpreted text: `Title <target>` becomes its title, the name of an object becomes inline code. */
export function readRole(role: string, content: string): string {
  const name = role.split(':').at(-1)?.toLowerCase() ?? ''
  const title = titleOf(content)
  if (name === 'pep' || name === 'rfc') return title === content ? `${name.toUpperCase()} ${content}` : title
  if (proseRoles.has(name)) return title === content ? content.replace(/^[!~/]/, '') : title
  const text = title === content && !literalRoles.has(name) ? shorten(title) : title
  if (name !== '' && !literalRoles.has(name) && /\s|^#?\d*$/.test(text)) return text
  return inlineCode(callableRoles.has(name) && /[\w\]]$/.test(text) ? `${text}()` : text)
}

/** `Title <target>` → `Title`. */
function titleOf(content: string): string {
  const open = content.endsWith('>') ? content.lastIndexOf('<') : -1
  const title = open > 0 ? content.slice(0, open).trim() : ''
  const target = open === 0 ? content.slice(1, -1) : content
  return (title || target).replace(/\s+/g, ' ')
}

/** `~flask.Flask` → `Flask`; the same for `.Flask` and `!Flask`. */
function shorten(reference: string): string {
  if (reference.startsWith('~')) return reference.slice(1).split('.').at(-1) ?? ''
  return reference.replace(/^[!.](?=\w)/, '')
}

function readPlain(text: string, names: RstNames): string {
  if (!/[_|]/.test(text)) return text
  return text
    .replace(/\|([^|\s][^|\n]{0,80})\|(?:__?(?!\w))?/g, (whole, name: string) => substitute(name, names) ?? whole)
    .replace(/\[([^\]\n]{1,80})\]_(?!\w)/g, '[$1]')
    .replace(/[\p{L}\p{N}_.+-]+/gu, (word) =>
      names.targets.has(word.replace(/__?$/, '').toLowerCase()) ? word.replace(/__?$/, '') : word,
    )
}

function substitute(name: string, names: RstNames): string | undefined {
  const text = names.substitutions.get(name.toLowerCase())
  if (text === undefined || text.length > names.leftCharacters) return undefined
  names.leftCharacters -= text.length
  return text
}
