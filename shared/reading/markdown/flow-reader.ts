import { plainText } from './syntax/clean-inline.ts'
import { codeInHtml } from './syntax/code-in-html.ts'
import { endOfExpression, stringIn } from './syntax/end-of-expression.ts'
import { type FenceRole, fenced, infoOf, type Line } from './syntax/line.ts'
import type { Mark } from './syntax/scope.ts'
import { readTag, type Tag } from './syntax/tag.ts'

/** A line that replaces JSX, without the prefix of its place. */
export type Part = { text: string; at: number; marks?: Mark[] }
/** A tag, or lines that replace an element with its content. */
export type FlowItem = { tag: Tag } | { parts: Part[] }
/** The JSX at the start of a line. `rest` is the text after it; `more` is the number of further lines that it takes. */
export type Flow = { items: FlowItem[]; rest: string; more: number }

const maxLines = 400
/** Components may hold whole tables of data in their attributes. */
const maxTagLength = 40_000
const maxElementLength = 100_000
/** Characters that tags without an end may have read again on a page. */
const maxReread = 10_000_000

const dropped = /^(?:script|style|svg|math|noscript)$/i
const listing = /^(?:pre|code|CodeBlock)$/
const plainOptions = { references: new Set<string>(), jsx: true }

/** Reads the JSX that starts at a column of a line; undefined if the line starts with text. */
export function flowReader(lines: Line[], roles: FenceRole[], { expressions }: { expressions: boolean }) {
  let reread = 0

  return (index: number, column: number): Flow | undefined => {
    let text = lines[index]?.text.slice(column) ?? ''
    let more = 0
    let at = 0
    const items: FlowItem[] = []
    const origin = () => lines[index + more]?.at ?? 1

    /** Adds lines until `find` finds something; if it does not, takes them back. */
    const findBeyond = <T>(find: () => T | undefined, isAllowed: (role: FenceRole | undefined) => boolean): T | undefined => {
      const before = { text, more }
      let element = find()
      while (element === undefined && index + more + 1 < lines.length && more < maxLines) {
        const next = lines[index + more + 1] as Line
        if (!isAllowed(roles[index + more + 1]) || text.length - at > maxElementLength || reread > maxReread) break
        text += `\n${next.text}`
        more++
        reread += text.length - at
        element = find()
      }
      if (element === undefined) ({ text, more } = before)
      return element
    }
    const isOutside = (role: FenceRole | undefined) => role === 'outside'
    const tagAt = (): Tag | undefined =>
      /^<[A-Za-z][\w.:-]*\s*$|^<[A-Za-z][\w.:-]*\s+[\w{]/.test(text.slice(at, at + 100))
        ? findBeyond(() => readTag(text, at, maxTagLength), isOutside)
        : readTag(text, at)
    /** The content of an element, with the lines that it takes; moves behind its closing tag. */
    const contentOf = (tag: Tag, isAllowed: (role: FenceRole | undefined) => boolean): string | undefined => {
      const close = `</${tag.name}>`
      const end = findBeyond(() => (text.indexOf(close, tag.end) < 0 ? undefined : text.indexOf(close, tag.end)), isAllowed)
      if (end === undefined) return undefined
      const content = text.slice(tag.end, end)
      at = end + close.length
      return content
    }
    const readElement = (tag: Tag): FlowItem => {
      const start = origin()
      const name = tag.name.toLowerCase()
      at = tag.end
      if (tag.closing || tag.selfClosing) return name === 'img' ? { parts: prose(tag.attributes.alt ?? '', start) } : { tag }
      if (dropped.test(name)) {
        contentOf(tag, anyRole)
        return { parts: [] }
      }
      if (name === 'img' || name === 'br' || name === 'hr') return { parts: prose(tag.attributes.alt ?? '', start) }
      if (/^h[1-6]$/.test(name)) {
        const heading = contentOf(tag, isOutside)
        if (heading !== undefined) return { parts: prose(`${'#'.repeat(Number(name[1]))} ${flat(heading)}`, start) }
      }
      if (name === 'summary') {
        const summary = contentOf(tag, isOutside)
        if (summary !== undefined) return { parts: prose(`**${flat(summary)}**`, start) }
      }
      if (listing.test(tag.name)) {
        const parts = readListing(tag)
        if (parts) return { parts }
      }
      return { tag }
    }
    /** A listing: strings in braces, which MDX leaves as they are, or HTML. */
    const readListing = (tag: Tag): Part[] | undefined => {
      const start = index + more
      const peek = `${text.slice(tag.end)}\n${lines[start + 1]?.text ?? ''}`.trimStart()
      const isString = /^(?:<code[^>]*>\s*)?\{\s*["'`]/.test(peek)
      if (!isString && tag.name !== 'pre') return undefined
      const before = { at, text, more }
      const content = contentOf(tag, isString ? anyRole : isOutside) ?? ''
      const code = isString ? stringsIn(content) : codeInHtml(content)
      if (code.trim() === '') {
        ;({ at, text, more } = before)
        return undefined
      }
      const texts = fenced(code.split('\n'), infoFrom(tag.attributes))
      return texts.map((each, i) => ({ text: each, at: lines[Math.min(start + i, index + more)]?.at ?? 1 }))
    }

    for (;;) {
      while (text[at] === ' ' || text[at] === '\t') at++
      if (expressions && text[at] === '{') {
        const start = origin()
        const from = at
        const end = findBeyond(() => endOfExpression(text, from), isOutside)
        if (end === undefined) break
        items.push({ parts: prose(stringIn(text.slice(from + 1, end - 1)), start) })
        at = end
        continue
      }
      const tag = text[at] === '<' ? tagAt() : undefined
      if (!tag) break
      items.push(readElement(tag))
    }
    return items.length === 0 ? undefined : { items, rest: text.slice(at), more }
  }
}

const prose = (text: string, at: number): Part[] =>
  text.trim() === '' ? [] : [{ text: '', at }, ...text.split('\n').map((each) => ({ text: each, at })), { text: '', at }]

const anyRole = () => true

/** The strings in braces, joined. */
function stringsIn(content: string): string {
  const opening = /\{\s{0,100}(["'`])/g
  const strings: string[] = []
  for (let match = opening.exec(content); match; match = opening.exec(content)) {
    const start = opening.lastIndex
    while (opening.lastIndex < content.length && content[opening.lastIndex] !== match[1])
      opening.lastIndex += content[opening.lastIndex] === '\\' ? 2 : 1
    strings.push(content.slice(start, opening.lastIndex))
  }
  const code = strings.join('').replace(/\\([`$\\])/g, '$1')
  return code.replace(/^\n/, '').trimEnd()
}

const flat = (content: string): string => plainText(content, plainOptions)

function infoFrom(attributes: Record<string, string>): string {
  const classes = attributes.classname ?? attributes.class ?? ''
  const language = attributes.language ?? attributes.lang ?? /language-(\S+)/.exec(classes)?.[1] ?? ''
  return infoOf(language, attributes.title)
}
