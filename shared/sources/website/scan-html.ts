import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { Parser } from 'htmlparser2'
import { closeTag, escapeText, openTag } from './html-tags.ts'
import { emptyFacts, type PageFacts, readFacts } from './page-facts.ts'

/** A run of text between two block tags, or tags only. `html` is what is stored of it. */
export type Segment = {
  kind: 'tags' | 'text' | 'heading' | 'code'
  html: string
  /** Equal for equal texts, whatever their figures. */
  key: number
  /** It may be repeated on every page: a link, a sentence, or part of the navigation. Cells of tables and short words are not. */
  mayRepeat: boolean
}

/** The places that hold the text: an open element is in each whose value is true. */
type Place = { isAside: boolean; isMain: boolean; isTable: boolean; isHeading: boolean; isCode: boolean; isLink: boolean }

const setOf = (words: string): Set<string> => new Set(words.split(' '))
const omitted = setOf('script style noscript template svg canvas iframe object video audio select textarea dialog math')
const inline = setOf(
  'a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr button input',
)
const unstored = setOf('html head body meta link base title')
const asides = setOf('nav aside footer')
const appRoots = setOf('root app __next __nuxt svelte main-app gatsby-focus-wrapper')
const outside: Place = { isAside: false, isMain: false, isTable: false, isHeading: false, isCode: false, isLink: false }
const minSentenceChars = 20
const maxKeys = 2_000
const digestChars = 65_536

type HtmlScanner = { write(text: string): void; end(): PageFacts }

/** Scans a page part by part. `onSegment` gets its body without scripts, styles and pictures, in order. */
function scanHtml(onSegment: (segment: Segment) => void): HtmlScanner {
  const facts = emptyFacts()
  const places: Place[] = [outside]
  const page = { omitted: '', omittedDepth: 0, noscript: '', isTitle: false, scripts: 0, hasAppRoot: false }
  const run = { html: '', text: '', linkChars: 0 }
  const digest = textDigest()

  const flush = (place: Place) => {
    const { html, text, linkChars } = run
    Object.assign(run, { html: '', text: '', linkChars: 0 })
    if (html === '') return
    const plain = oneLine(text)
    if (plain === '') return onSegment({ kind: 'tags', html, key: 0, mayRepeat: false })
    const key = keyOf(plain)
    const keys = place.isAside ? facts.asideKeys : facts.keys
    if (keys.length < maxKeys) keys.push(key)
    if (!place.isAside) {
      facts.textChars += plain.length
      digest.add(plain)
    }
    const isLink = linkChars >= plain.length
    const mayRepeat = !place.isTable && !place.isCode && (place.isAside || isLink || plain.length >= minSentenceChars)
    onSegment({ kind: place.isCode ? 'code' : place.isHeading ? 'heading' : 'text', html, key, mayRepeat })
  }

  const parser = new Parser({
    onopentag(tag, attributes) {
      const around = places.at(-1) ?? outside
      const place = placeIn(around, tag, attributes)
      places.push(place)
      readFacts(facts, tag, attributes)
      if (page.omittedDepth > 0) {
        if (tag === page.omitted) page.omittedDepth += 1
        return
      }
      if (tag === 'script') page.scripts += 1
      if (tag === 'app-root' || appRoots.has(attributes.id ?? '')) page.hasAppRoot = true
      if (tag === 'title') page.isTitle = true
      if (omitted.has(tag)) Object.assign(page, { omitted: tag, omittedDepth: 1 })
      else if (!unstored.has(tag)) {
        if (!inline.has(tag)) flush(around)
        run.html += openTag(tag, attributes)
        if (!inline.has(tag)) flush(place)
      }
    },
    ontext(text) {
      if (page.omittedDepth > 0) {
        if (page.omitted === 'noscript' && page.noscript.length < 2_000) page.noscript += text
      } else if (page.isTitle) {
        if (facts.title.length < 500) facts.title += text
      } else {
        run.html += escapeText(text)
        run.text += text
        if (places.at(-1)?.isLink) run.linkChars += text.length
      }
    },
    onclosetag(tag) {
      const place = places.pop() ?? outside
      if (page.omittedDepth > 0) {
        if (tag === page.omitted) page.omittedDepth -= 1
        return
      }
      if (tag === 'title') page.isTitle = false
      if (unstored.has(tag)) return
      if (!inline.has(tag)) flush(place)
      run.html += closeTag(tag)
      if (!inline.has(tag)) flush(places.at(-1) ?? outside)
    },
  })

  return {
    write: (text) => parser.write(text),
    end() {
      parser.end()
      flush(outside)
      facts.title = oneLine(facts.title)
      facts.textHash = digest.end()
      facts.needsScript = page.scripts > 0 && (page.hasAppRoot || /java\s?script/i.test(page.noscript))
      return facts
    },
  }
}

function placeIn(around: Place, tag: string, { role }: Record<string, string>): Place {
  const isMain = around.isMain || tag === 'main' || tag === 'article' || role === 'main'
  const isAside = around.isAside || asides.has(tag) || role === 'navigation' || (tag === 'header' && !isMain)
  const isHeading = around.isHeading || /^h[1-6]$/.test(tag)
  const isLink = around.isLink || tag === 'a'
  const next = {
    isAside,
    isMain,
    isHeading,
    isLink,
    isTable: around.isTable || tag === 'table',
    isCode: around.isCode || tag === 'pre',
  }
  return (Object.keys(next) as (keyof Place)[]).some((name) => next[name] !== around[name]) ? next : around
}

const oneLine = (text: string): string => text.replace(/[\s\u200b]+/g, ' ').trim()

/** FNV-1a of a text whose figures are all the same: a date in a footer is the same text on each page. */
function keyOf(text: string): number {
  let key = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    key = Math.imul(key ^ (code >= 48 && code <= 57 ? 48 : code), 0x01000193)
  }
  return key >>> 0
}

/** The hash of texts of any length, with little memory. */
function textDigest(): { add(text: string): void; end(): string } {
  let done = ''
  let texts: string[] = []
  let chars = 0
  const fold = () => {
    done = hash('sha256', `${done}\n${texts.join('\n')}`)
    texts = []
    chars = 0
  }
  return {
    add(text) {
      texts.push(text)
      chars += text.length
      if (chars > digestChars) fold()
    },
    end() {
      fold()
      return done.slice(0, 32)
    },
  }
}

const stepChars = 131_072

/** Scans a page. Between the parts of a large one, the process serves requests. */
export async function scanText(text: string, onSegment: (segment: Segment) => void): Promise<PageFacts> {
  const scanner = scanHtml(onSegment)
  for (let at = 0; at < text.length; at += stepChars) {
    if (at > 0) await setImmediate()
    scanner.write(text.slice(at, at + stepChars))
  }
  return scanner.end()
}
