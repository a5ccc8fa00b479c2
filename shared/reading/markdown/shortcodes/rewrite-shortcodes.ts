import { dedent, fenced, fenceRoles, indentOf, infoOf, joinLines, type Line } from '../syntax/line.ts'
import { pairShortcodes, type Shortcode } from './pair-shortcodes.ts'
import { listingInfo, shortcodeInclude, shortcodeScope, shortcodeText } from './shortcode-kinds.ts'
import { mayHoldShortcodes, type ShortcodeTag } from './shortcode-tag.ts'

/** Characters before a tag that are searched for the start of its line. */
const maxPrefix = 100
const listMark = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*$/

/**
 * Rewrites tags of Hugo, Liquid, Hexo, GitBook, Markdoc and Grav as Markdown that other readers know: code becomes fences, notes and tabs become
 * containers, files become includes, and a tag in a sentence its text. Other tags go, and their bodies stay.
 */
export function rewriteShortcodes(lines: Line[]): Line[] {
  const text = joinLines(lines)
  if (!mayHoldShortcodes(text)) return lines
  const page = pageWriter(lines, text)
  for (const event of pairShortcodes(text)) {
    page.copyTo(event.tag.start)
    page.skipTo(event.tag.end)
    if ('stray' in event) continue
    if ('closes' in event) {
      if (isContainer(event.closes, text)) page.mark({ name: event.tag.name })
    } else if (event.raw && event.close) writeRaw(event, event.close, text, page)
    else if (isContainer(event, text)) page.mark({ name: event.tag.name, scope: shortcodeScope(event.tag) ?? {} })
    else if (!event.close) writeVoid(event.tag, page)
  }
  page.copyTo(text.length)
  return withoutEscapes(page.end())
}

type PageWriter = ReturnType<typeof pageWriter>

/** A tag that only has a title is a container at the start of a line, and part of a sentence inside it. */
function isContainer({ tag, close }: Shortcode, text: string): boolean {
  const scope = close && shortcodeScope(tag)
  if (!scope || scope.callout || scope.group || 'label' in scope) return scope !== undefined
  return /(?:^|\n)(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*$/.test(text.slice(Math.max(0, tag.start - maxPrefix), tag.start))
}

function writeRaw({ tag, raw, set }: Shortcode, close: ShortcodeTag, text: string, page: PageWriter): void {
  const body = text.slice(tag.end, close.start)
  if (raw === 'listing') page.code(body, listingInfo(tag, set, body), text.charAt(close.end))
  page.skipTo(close.end)
}

function writeVoid(tag: ShortcodeTag, page: PageWriter): void {
  const include = shortcodeInclude(tag)
  if (!include || !page.include(include)) page.write(shortcodeText(tag))
}

/** Copies a text line by line, with the origin of each line, and replaces parts of it. */
function pageWriter(lines: Line[], text: string) {
  const out: Line[] = []
  let current = ''
  let row = 0
  let at = 0
  let inList = false
  let lineEnd = -1
  const origin = () => lines[row]?.at ?? 1
  /** Index of the end of the line at `at`. */
  const endOfLine = (): number => {
    if (lineEnd < at) lineEnd = text.indexOf('\n', at)
    if (lineEnd < 0) lineEnd = text.length
    return lineEnd
  }

  const endLine = () => {
    if (/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(current)) inList = true
    else if (/^\S/.test(current)) inList = false
    out.push({ text: current.trim() === '' ? '' : current, at: origin() })
    current = ''
  }
  const skipTo = (end: number) => {
    while (at < end) {
      if (endOfLine() < end) row++
      at = Math.min(end, endOfLine() + 1)
    }
  }
  /** Ends the current line, and returns the marks or the indentation that the next one needs to be in the same place. */
  const startBlock = (): { first: string; rest: string } => {
    const isMark = listMark.test(current)
    const isTooDeep = !inList && isMark && indentOf(current) >= 4
    const first = isTooDeep ? '' : isMark ? current : current.slice(0, inList ? current.search(/\S/) : 0)
    if (!isMark) endLine()
    current = ''
    return { first, rest: first.replace(/[^ \t>]/g, ' ') }
  }

  return {
    skipTo,
    copyTo(end: number) {
      while (at < end) {
        const stop = Math.min(end, endOfLine())
        current += text.slice(at, stop)
        at = stop
        if (stop < end) {
          endLine()
          at++
          row++
        }
      }
    },
    write(words: string) {
      current += words
    },
    mark(mark: NonNullable<Line['marks']>[number]) {
      const { first, rest } = startBlock()
      if (first === rest) out.push({ text: '', at: origin() })
      out.push({ text: `${first}***`, at: origin(), marks: [mark] })
      current = rest
    },
    /** Returns false if the tag is inside a sentence, which cannot hold a file. */
    include(include: NonNullable<Line['include']>): boolean {
      if (!listMark.test(current) || text.slice(at, endOfLine()).trim() !== '') return false
      const { first } = startBlock()
      out.push({ text: first, at: origin(), include })
      return true
    },
    code(body: string, { language, label }: { language: string; label: string }, after: string) {
      const isInline = !body.includes('\n') && (!listMark.test(current) || (after !== '\n' && after !== '' && after !== '{'))
      if (isInline) {
        current += `\`${body.trim()}\``
        return
      }
      const startsOnNextLine = /^[ \t]*\n/.test(body)
      const column = indentOf(current)
      const { first, rest } = startBlock()
      const start = row + (startsOnNextLine ? 1 : 0)
      const code = body.replace(/^[ \t]*\n/, '').replace(/\n[ \t]*$/, '')
      const printed = fenced(withoutIndent(code.split('\n'), column), infoOf(language, label))
      printed.forEach((each, i) => {
        const line = i === 0 ? first + each : each === '' ? '' : rest + each
        out.push({ text: line, at: lines[Math.min(i === 0 ? row : start + i - 1, lines.length - 1)]?.at ?? 1 })
      })
      current = rest
    },
    end(): Line[] {
      endLine()
      return out
    },
  }
}

/** Code in a list is indented as far as its tag; all of it, or nothing is removed. */
function withoutIndent(code: string[], column: number): string[] {
  const isIndented = code.every((text) => text.trim() === '' || indentOf(text) >= column)
  return isIndented ? code.map((text) => dedent(text, column)) : code
}

const escaped = /\{\{([<%])\/\*([^*\n]*)\*\/([>%])\}\}/g
const rawTag = /\{%-?\s{0,9}(?:end)?raw\s{0,9}-?%\}/g

/** Tags that are shown: `{{</* x *\/>}}` prints `{{< x >}}`, and `{% raw %}` in code prints nothing. */
function withoutEscapes(lines: Line[]): Line[] {
  const roles = fenceRoles(lines)
  return lines.flatMap((line, i) => {
    const shown = line.text.includes('{{') ? line.text.replace(escaped, '{{$1$2$3}}') : line.text
    const text = roles[i] === 'inside' && shown.includes('raw') ? shown.replace(rawTag, '') : shown
    return text.trim() === '' && shown.trim() !== '' ? [] : text === line.text ? line : { ...line, text }
  })
}
