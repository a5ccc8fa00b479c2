import { closesFence, type Fence, openingFence } from '../syntax/line.ts'
import { inlineCode } from '../syntax/snippet-files.ts'
import { isListingTab, rawKind } from './shortcode-kinds.ts'
import { readShortcode, type ShortcodeTag, tagStart } from './shortcode-tag.ts'

/** A tag with its closing tag, and what is between them if other tags are not read there. `set` is the set of tabs around it. */
export type Shortcode = { tag: ShortcodeTag; close?: ShortcodeTag; raw?: 'listing' | 'dropped'; set?: ShortcodeTag }
/** Tags in the order of the text: those that open or stand alone, and those that close another. */
export type ShortcodeEvent = Shortcode | { closes: Shortcode; tag: ShortcodeTag } | { stray: true; tag: ShortcodeTag }

/** Characters of a body that are searched for a fence at its start. */
const maxPeek = 500

/** Finds the tags outside code and pairs them, in one pass. A tag that nothing closes stands alone. */
export function pairShortcodes(text: string): ShortcodeEvent[] {
  const events: ShortcodeEvent[] = []
  const open = openShortcodes()
  const brackets = new Set([...text.matchAll(/\[\/([a-z][\w-]{0,40})\]/g)].map(([, name = '']) => name))
  const endOfRaw = rawEnds(text)
  let fence: Fence | undefined
  /** Liquid reads no tags before this index; other generators do. */
  let verbatimEnd = 0

  /** Reads the tag at an index; returns the index after it, or after its raw body. */
  const readAt = (at: number): number | undefined => {
    const tag = readShortcode(text, at, brackets)
    if (!tag || (tag.syntax === 'liquid' && at < verbatimEnd)) return undefined
    if (tag.closing) {
      const opener = open.close(tag)
      events.push(opener ? { closes: opener, tag } : { stray: true, tag })
      return tag.end
    }
    const set = open.innermost()
    const raw = rawKind(tag) ?? (isListingTab(tag, set) ? 'listing' : undefined)
    const close = raw && !tag.selfClosing ? endOfRaw(tag) : undefined
    if (raw === 'verbatim') verbatimEnd = close?.start ?? verbatimEnd
    else if (
      raw &&
      close &&
      !(raw === 'listing' && startsWithFence(text.slice(tag.end, Math.min(close.start, tag.end + maxPeek))))
    ) {
      events.push({ tag, close, raw, ...(set && { set }) })
      return close.end
    }
    const shortcode: Shortcode = { tag, ...(set && { set }) }
    events.push(shortcode)
    if (!tag.selfClosing) open.push(shortcode)
    return tag.end
  }

  let lineStart = 0
  while (lineStart <= text.length) {
    const end = text.indexOf('\n', lineStart)
    const lineEnd = end < 0 ? text.length : end
    const line = text.slice(lineStart, lineEnd)
    let next = lineEnd + 1
    if (fence) {
      if (closesFence(line, fence)) fence = undefined
    } else {
      fence = openingFence(line)
      if (!fence) next = Math.max(next, readLine(line, lineStart, lineEnd, text, readAt))
    }
    lineStart = next
  }
  return events
}

/** Reads the tags of a line. A tag or body that ends on a later line continues there; returns the start of the next line to read. */
function readLine(line: string, start: number, end: number, text: string, readAt: (at: number) => number | undefined): number {
  let from = start
  let lineStart = start
  let lineEnd = end
  let rest = line
  for (;;) {
    const isCode = inlineCode(rest)
    let moved = false
    for (const { index } of rest.matchAll(tagStart)) {
      const at = lineStart + index
      if (at < from || isCode(index)) continue
      const after = readAt(at)
      if (after === undefined) continue
      from = after
      if (after > lineEnd) {
        lineStart = after
        const next = text.indexOf('\n', after)
        lineEnd = next < 0 ? text.length : next
        rest = text.slice(lineStart, lineEnd)
        moved = true
        break
      }
    }
    if (!moved) return lineEnd + 1
  }
}

const startsWithFence = (body: string): boolean => openingFence(body.replace(/^\s*\n/, '').split('\n', 1)[0] ?? '') !== undefined

/** Returns a function that finds the closing tag of a raw tag. Each name's closing tags are searched once. */
function rawEnds(text: string): (tag: ShortcodeTag) => ShortcodeTag | undefined {
  const closers = new Map<string, { ends: ShortcodeTag[]; next: number }>()
  return ({ syntax, name, end }) => {
    const key = `${syntax} ${name}`
    const entry = closers.get(key) ?? { ends: closersOf(text, syntax, name), next: 0 }
    closers.set(key, entry)
    while ((entry.ends[entry.next]?.start ?? Number.POSITIVE_INFINITY) < end) entry.next++
    return entry.ends[entry.next]
  }
}

function closersOf(text: string, syntax: ShortcodeTag['syntax'], name: string): ShortcodeTag[] {
  const escaped = name.replace(/[^\w]/g, '\\$&')
  const source = {
    hugo: `\\{\\{[<%]\\s{0,9}/\\s{0,9}${escaped}\\s{0,9}[>%]\\}\\}`,
    liquid: `\\{%-?\\s{0,9}(?:end_?|/\\s{0,9})${escaped}\\s{0,9}-?%\\}`,
  }
  const pattern = syntax === 'hugo' || syntax === 'liquid' ? source[syntax] : `\\[/${escaped}\\]`
  return [...text.matchAll(new RegExp(pattern, 'gi'))].flatMap(({ index }) => readShortcode(text, index, new Set([name])) ?? [])
}

/** The tags that are open, by name, so that closing one costs no search. */
function openShortcodes() {
  const stack: Shortcode[] = []
  const places = new Map<string, number[]>()
  return {
    innermost: () => stack.at(-1)?.tag,
    push(shortcode: Shortcode) {
      const ofName = places.get(shortcode.tag.name) ?? []
      ofName.push(stack.length)
      places.set(shortcode.tag.name, ofName)
      stack.push(shortcode)
    },
    close(tag: ShortcodeTag): Shortcode | undefined {
      const place = places.get(tag.name)?.at(-1)
      const opener = place === undefined ? undefined : stack[place]
      if (place === undefined || !opener) return undefined
      for (const closed of stack.splice(place)) places.get(closed.tag.name)?.pop()
      opener.close = tag
      return opener
    },
  }
}
