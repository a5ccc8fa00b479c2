import { setImmediate } from 'node:timers/promises'
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { AppError } from '../errors.ts'
import { BundleHead, bundleLimits } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import { type ObjectScanner, objectScanner } from './object-scanner.ts'
import {
  type ElementEnd,
  type ElementReader,
  isSnippetList,
  readElement,
  type SnippetList,
  snippetLists,
} from './read-element.ts'

/** The content of a body, in order. Snippets of an element that ends as `refused` are ignored. */
export type BundleEvent =
  | { kind: 'snippet'; list: SnippetList; snippet: BundleSnippet }
  | ElementEnd
  | { kind: 'force'; force: boolean }
  /** A field next to the libraries that is not read. */
  | { kind: 'unknown'; field: string }

type ReadLimits = Pick<typeof bundleLimits, 'elements' | 'elementBytes' | 'elementSnippets'> & {
  /** The limit of one snippet or one other value of a library. */
  valueBytes: number
  depth: number
}
const readLimits: ReadLimits = { ...bundleLimits, valueBytes: 16 * 1024 * 1024, depth: 100 }

/**
 * The position of the reader: before an item of a list of snippets, in a snippet, after one, or anywhere else, which the
 * tokenizer reads. A snippet is found by its braces and parsed in one call, which is faster.
 */
type Place = 'item' | ObjectScanner | 'separator' | 'elsewhere'

/** The values that the parser assembles; it drops all others. */
const paths = [...Object.keys(BundleHead.shape), ...snippetLists.map((list) => `${list}.*`)].map(
  (path) => `$.libraries.*.${path}`,
)
const nowhere = Number.POSITIVE_INFINITY
const [openBrace, openBracket, comma] = [0x7b, 0x5b, 0x2c]
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
/** The parser gets this text instead of a snippet. */
const placeholder = Buffer.from('null')

/**
 * Reads the body of an import, or a file of a zip, as a stream: memory holds one snippet, neither the body nor a library. Rejects an invalid
 * element separately, with the path of the problem. Throws validation_error or payload_too_large if the body itself is invalid; then nothing of
 * it may be used. `what` names the body in messages. A snippet that cannot be read is left out of its element.
 */
export async function* readBundle(
  chunks: AsyncIterable<Uint8Array>,
  what = 'The body',
  limits: ReadLimits = readLimits,
): AsyncGenerator<BundleEvent[]> {
  const reader = bundleReader(what, limits)
  for await (const chunk of chunks) {
    const events = reader.take(chunk)
    if (events.length > 0) yield events
    // Buffered chunks would otherwise block the event loop.
    await setImmediate()
  }
  reader.end()
}

function bundleReader(what: string, limits: ReadLimits) {
  const invalid = (why: string, cause?: unknown) => new AppError('validation_error', `${what} ${why}.`, { cause })
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths, keepStack: false })
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let events: BundleEvent[] = []
  let [fed, depth, elements] = [0, 0, 0]
  let place: Place = 'elsewhere'
  /** Bytes of snippets, which the tokenizer did not get, and the snippet instead of the placeholder. */
  let [withheld, snippet]: [number, { value: unknown } | undefined] = [0, undefined]
  let element: { reader: ElementReader; at: number } | undefined
  let [hasLibraries, inLibraries] = [false, false]
  /** Offsets of the value that is being assembled and of the last token. */
  let [valueAt, tokenAt] = [nowhere, 0]
  let [last, key, isValue]: [unknown, string, boolean] = [undefined, '', false]

  const checkDepth = (levels: number) => {
    if (levels > limits.depth) throw invalid(`is nested more than ${limits.depth} levels deep`)
  }
  const begin = (token: TokenType, at: number) => {
    const project = `libraries[${elements++}]`
    if (elements > limits.elements)
      throw new AppError('payload_too_large', `${what} holds more than ${limits.elements} libraries; send it in parts.`)
    if (token === TokenType.LEFT_BRACE) element = { reader: readElement(project, limits), at }
    else events.push({ kind: 'refused', project, reason: 'It must be a JSON object.' })
  }
  const rootValue = (token: TokenType) => {
    if (key === 'libraries') {
      if (token !== TokenType.LEFT_BRACKET) throw invalid('has "libraries" that is not a list')
      hasLibraries = inLibraries = true
    } else if (key !== 'force') events.push({ kind: 'unknown', field: key })
    if (key !== 'force') return
    if (token !== TokenType.TRUE && token !== TokenType.FALSE) throw invalid('has a "force" that is neither true nor false')
    events.push({ kind: 'force', force: token === TokenType.TRUE })
  }
  const elementValue = (reader: ElementReader, token: TokenType, at: number) => {
    const isField = Object.hasOwn(BundleHead.shape, key)
    if (isSnippetList(key) && token === TokenType.LEFT_BRACKET) reader.list(key)
    else if (isSnippetList(key) && token !== TokenType.NULL) reader.reject(`${key} must be a list.`)
    else valueAt = isField ? at : nowhere
    if (!isSnippetList(key) && !isField) reader.unknown(key)
  }
  /** Tracks the structure before the parser gets the token. */
  const look = (token: TokenType, value: unknown, at: number) => {
    if (depth === 0 && token !== TokenType.LEFT_BRACE) throw invalid('must be a JSON object with the list "libraries"')
    if (depth === 2 && inLibraries && token !== TokenType.COMMA && token !== TokenType.RIGHT_BRACKET) begin(token, at)
    if (depth === 4 && element && isSnippetList(key)) valueAt = at
    if (depth === 1 || (depth === 3 && element)) {
      if (isValue && depth === 1) rootValue(token)
      else if (isValue && element) elementValue(element.reader, token, at)
      isValue = token === TokenType.COLON
      if (isValue) key = String(last)
      else last = value
    }
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1
    checkDepth(depth)
    if (token === TokenType.LEFT_BRACKET && depth === 4 && element && isSnippetList(key)) place = 'item'
  }
  tokenizer.onToken = (info) => {
    const { token, value } = info
    const offset = info.offset + withheld
    tokenAt = offset
    look(token, value, offset)
    parser.write(info as Parameters<typeof parser.write>[0])
    if (token !== TokenType.RIGHT_BRACE && token !== TokenType.RIGHT_BRACKET) return
    depth -= 1
    if (depth === 1) inLibraries = false
    if (depth === 2 && element && token === TokenType.RIGHT_BRACE) {
      events.push(element.reader.end(offset - element.at))
      element = undefined
    }
  }
  parser.onValue = ({ value, key: name, stack }) => {
    valueAt = nowhere
    if (stack.length === 3) element?.reader.field(String(name), value)
    const list = String(stack[3]?.key)
    if (stack.length !== 4 || !isSnippetList(list)) return
    const read = element?.reader.snippet(list, snippet ? snippet.value : value)
    if (read) events.push({ kind: 'snippet', list, snippet: read })
  }
  const tooLarge = () => invalid(`holds a single value of more than ${limits.valueBytes} bytes`)
  const feed = (work: () => void) => {
    try {
      work()
    } catch (error) {
      throw error instanceof AppError ? error : invalid('is not valid JSON in UTF-8', error)
    }
  }

  /** Reads a part of a chunk and returns the position after it. */
  const step = (chunk: Uint8Array, at: number): number => {
    if (typeof place === 'object') {
      const end = place.scan(chunk, at)
      checkDepth(4 + place.depth)
      if (end === undefined) return chunk.length
      snippet = { value: JSON.parse(decoder.decode(place.taken())) }
      tokenizer.write(placeholder)
      withheld += place.sizeBytes - placeholder.length
      snippet = undefined
      place = 'separator'
      return end
    }
    if (place === 'item' && chunk[at] === openBrace) {
      place = objectScanner()
      return at
    }
    if (place === 'separator' && chunk[at] === comma) place = 'item'
    else if (!isSpace(chunk[at])) place = 'elsewhere'
    // The lists of snippets start with a bracket.
    const bracket = place === 'elsewhere' ? chunk.indexOf(openBracket, at) : at
    const end = bracket < 0 ? chunk.length : bracket + 1
    tokenizer.write(chunk.subarray(at, end))
    return end
  }

  return {
    take(chunk: Uint8Array): BundleEvent[] {
      events = []
      feed(() => {
        for (let at = 0; at < chunk.length; ) at = step(chunk, at)
      })
      fed += chunk.length
      if (typeof place === 'object' && place.sizeBytes > limits.valueBytes) throw tooLarge()
      if (typeof place !== 'object' && fed - Math.min(tokenAt, valueAt) > limits.valueBytes + chunk.length) throw tooLarge()
      element?.reader.measure(fed - element.at)
      return events
    },
    end() {
      if (!parser.isEnded) throw invalid('is incomplete JSON, and nothing of it is imported')
      feed(() => tokenizer.end())
      if (!hasLibraries) throw invalid('must be a JSON object with the list "libraries"')
    },
  }
}
