import { setImmediate } from 'node:timers/promises'
import { Tokenizer, TokenParser } from '@streamparser/json'
import { AppError } from '../errors.ts'
import { BundleHead, bundleLimits } from './bundle-element.ts'
import { type BundleEvent, bundleStructure, noLibraries, type ReadLimits } from './bundle-structure.ts'
import { type ObjectScanner, objectScanner } from './object-scanner.ts'
import { isSnippetList, snippetLists } from './read-element.ts'

const readLimits: ReadLimits = { ...bundleLimits, valueBytes: 16 * 1024 * 1024, depth: 100 }

/**
 * The position of the reader: before an item of a list of snippets, in a snippet, after one, or anywhere else, which the
 * tokenizer reads. A snippet is found by its braces and parsed in one call, which is faster.
 */
type Place = 'item' | 'snippet' | 'separator' | 'elsewhere'

type State = {
  place: Place
  /** Finds the end of the snippet that has begun. */
  scanner: ObjectScanner
  /** The snippet that the parser gets a placeholder for. */
  snippet: { value: unknown } | undefined
  /** Bytes of earlier chunks. */
  readBytes: number
  /** Bytes of snippets, which the tokenizer did not get. */
  withheldBytes: number
  /** The offset of the last token. */
  tokenAt: number
}

/** The values that the parser assembles; it drops all others. */
const paths = [...Object.keys(BundleHead.shape), ...snippetLists.map((list) => `${list}.*`)].map(
  (path) => `$.libraries.*.${path}`,
)
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
  const structure = bundleStructure(what, limits)
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths, keepStack: false })
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const state: State = {
    place: 'elsewhere',
    scanner: objectScanner(),
    snippet: undefined,
    readBytes: 0,
    withheldBytes: 0,
    tokenAt: 0,
  }
  tokenizer.onToken = (info) => {
    const { token, value } = info
    const at = info.offset + state.withheldBytes
    state.tokenAt = at
    if (structure.open(token, value, at)) state.place = 'item'
    parser.write(info as Parameters<typeof parser.write>[0])
    structure.close(token, at)
  }
  parser.onValue = ({ value, key, stack }) => {
    const list = String(stack[3]?.key)
    if (stack.length === 3) structure.field(String(key), value)
    else if (stack.length === 4 && isSnippetList(list)) structure.snippet(list, state.snippet ? state.snippet.value : value)
  }
  const tokenize = (chunk: Uint8Array, from: number, to: number): number => {
    tokenizer.write(chunk.subarray(from, to))
    return to
  }
  /** Reads the part of a chunk from `at` on that belongs to a place, and returns the position after it. */
  const steps: Record<Place, (chunk: Uint8Array, at: number) => number> = {
    item(chunk, at) {
      if (isSpace(chunk[at])) return tokenize(chunk, at, at + 1)
      state.place = chunk[at] === openBrace ? 'snippet' : 'elsewhere'
      if (state.place === 'snippet') state.scanner = objectScanner()
      return at
    },
    snippet(chunk, at) {
      const { scanner } = state
      const end = scanner.scan(chunk, at)
      structure.checkDepth(4 + scanner.depth)
      if (end === undefined) return chunk.length
      state.snippet = { value: JSON.parse(decoder.decode(scanner.taken())) }
      tokenizer.write(placeholder)
      state.withheldBytes += scanner.sizeBytes - placeholder.length
      state.snippet = undefined
      state.place = 'separator'
      return end
    },
    separator(chunk, at) {
      if (isSpace(chunk[at])) return tokenize(chunk, at, at + 1)
      state.place = chunk[at] === comma ? 'item' : 'elsewhere'
      return state.place === 'item' ? tokenize(chunk, at, at + 1) : at
    },
    /** The lists of snippets start with a bracket. */
    elsewhere(chunk, at) {
      const bracket = chunk.indexOf(openBracket, at)
      return tokenize(chunk, at, bracket < 0 ? chunk.length : bracket + 1)
    },
  }
  const feed = (work: () => void) => {
    try {
      work()
    } catch (error) {
      throw error instanceof AppError ? error : structure.invalid('is not valid JSON in UTF-8', error)
    }
  }
  const checkSizes = (chunk: Uint8Array) => {
    const { place, readBytes, scanner, tokenAt } = state
    const { element, valueAt } = structure.body
    const pendingBytes = place === 'snippet' ? scanner.sizeBytes : readBytes - Math.min(tokenAt, valueAt) - chunk.length
    if (pendingBytes > limits.valueBytes) throw structure.invalid(`holds a single value of more than ${limits.valueBytes} bytes`)
    element?.reader.measure(readBytes - element.at)
  }
  return {
    take(chunk: Uint8Array): BundleEvent[] {
      feed(() => {
        for (let at = 0; at < chunk.length; ) at = steps[state.place](chunk, at)
      })
      state.readBytes += chunk.length
      checkSizes(chunk)
      return structure.takeEvents()
    },
    end() {
      if (!parser.isEnded) throw structure.invalid('is incomplete JSON, and nothing of it is imported')
      feed(() => tokenizer.end())
      if (!structure.body.hasLibraries) throw structure.invalid(noLibraries)
    },
  }
}
