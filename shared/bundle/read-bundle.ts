import { setImmediate } from 'node:timers/promises'
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { ruleOf } from '../rule-of.ts'
import { BundleCodeSnippet, BundleHead, BundleInfoSnippet, bundleLimits } from './bundle.ts'
import type { BundleSnippet } from './bundle-snippet.ts'

export const snippetLists = ['codeSnippets', 'infoSnippets'] as const
export type SnippetList = (typeof snippetLists)[number]

/** What a body holds, in its own order. An element ends with `end`, whose head counts its snippets, or `refused`; snippets before the latter count for nothing. */
export type BundleEvent =
  | { kind: 'snippet'; list: SnippetList; snippet: BundleSnippet }
  | { kind: 'end'; head: BundleHead }
  | { kind: 'refused'; project: string; reason: string }
  | { kind: 'force'; force: boolean }

type ReadLimits = Pick<typeof bundleLimits, 'elements' | 'elementBytes' | 'elementSnippets'> & {
  /** Of one snippet, one other value of a library, one text. */
  valueBytes: number
  depth: number
}
const readLimits: ReadLimits = { ...bundleLimits, valueBytes: 16 * 1024 * 1024, depth: 100 }

type Element = {
  at: number
  head: Record<string, unknown>
  lists: Record<SnippetList, number>
  given: Set<string>
  refused: string | undefined
}

const schemas = { codeSnippets: BundleCodeSnippet, infoSnippets: BundleInfoSnippet }
const isList = (key: string): key is SnippetList => key === 'codeSnippets' || key === 'infoSnippets'
const paths = [...Object.keys(BundleHead.shape), ...snippetLists.map((list) => `${list}.*`)].map(
  (path) => `$.libraries.*.${path}`,
)

/**
 * Reads the body of an import, or a file of a zip, while it comes: one snippet is held, and neither the body nor a library. An element
 * that is wrong is refused alone, with the path of what is wrong. Throws validation_error for what is not such a body: nothing of it counts.
 * `what` is how messages call it.
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
    // What has come already would else be read without a pause.
    await setImmediate()
  }
  reader.end()
}

function bundleReader(what: string, limits: ReadLimits) {
  const refuse = (why: string, cause?: unknown) => new AppError('validation_error', `${what} ${why}.`, { cause })
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths, keepStack: false })
  let events: BundleEvent[] = []
  let fed = 0
  let depth = 0
  let elements = 0
  let element: Element | undefined
  let listed = false
  let inLibraries = false
  /** Where what is being put together began, and where the last token ended. */
  let [valueAt, tokenAt] = [Number.POSITIVE_INFINITY, 0]
  let last: unknown
  let key = ''
  let isValue = false

  const begin = (token: TokenType, at: number) => {
    elements += 1
    if (elements > limits.elements)
      throw new AppError('payload_too_large', `${what} holds more than ${limits.elements} libraries; send it in parts.`)
    if (token === TokenType.LEFT_BRACE)
      element = { at, head: {}, lists: { codeSnippets: 0, infoSnippets: 0 }, given: new Set(), refused: undefined }
    else events.push({ kind: 'refused', project: `libraries[${elements - 1}]`, reason: 'It must be a JSON object.' })
  }
  const end = ({ at, head, lists, given, refused }: Element, endsAt: number) => {
    element = undefined
    const project = typeof head.project === 'string' ? shownText(head.project) : `libraries[${elements - 1}]`
    const missing = snippetLists.find((list) => !given.has(list))
    const read = BundleHead.safeParse(head, { error: ruleOf })
    const reason =
      refused ??
      tooLarge(lists, endsAt - at, limits) ??
      (read.success ? undefined : sentence('', read.error)) ??
      (missing === undefined ? undefined : `${missing} is required.`)
    if (reason !== undefined || !read.success) events.push({ kind: 'refused', project, reason: reason ?? 'It is malformed.' })
    else events.push({ kind: 'end', head: { ...read.data, totalSnippets: lists.codeSnippets + lists.infoSnippets } })
  }
  /** What a token means where it stands, before the parser takes it. */
  const look = (token: TokenType, value: unknown, at: number) => {
    const opens = token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET
    if (depth === 0 && token !== TokenType.LEFT_BRACE) throw refuse('must be a JSON object with the list "libraries"')
    if (depth === 2 && inLibraries && token !== TokenType.COMMA && token !== TokenType.RIGHT_BRACKET) begin(token, at)
    if (depth === 4 && element && isList(key)) valueAt = at
    if (depth === 1 || (depth === 3 && element)) {
      if (isValue) {
        if (depth === 1) rootValue(token)
        else if (element) elementValue(element, token, at)
      }
      isValue = token === TokenType.COLON
      if (isValue) key = String(last)
      else last = value
    }
    if (opens) depth += 1
    if (depth > limits.depth) throw refuse(`is nested more than ${limits.depth} levels deep`)
  }
  const rootValue = (token: TokenType) => {
    if (key === 'libraries') {
      if (token !== TokenType.LEFT_BRACKET) throw refuse('has something else than a list as "libraries"')
      listed = inLibraries = true
    }
    if (key !== 'force') return
    if (token !== TokenType.TRUE && token !== TokenType.FALSE) throw refuse('has a force that is neither true nor false')
    events.push({ kind: 'force', force: token === TokenType.TRUE })
  }
  const elementValue = (of: Element, token: TokenType, at: number) => {
    if (!isList(key)) valueAt = key in BundleHead.shape ? at : Number.POSITIVE_INFINITY
    else if (token === TokenType.LEFT_BRACKET) of.given.add(key)
    else of.refused ??= `${key} must be a list.`
  }
  tokenizer.onToken = ({ token, value, offset }) => {
    tokenAt = offset
    look(token, value, offset)
    parser.write({ token, value, offset } as Parameters<typeof parser.write>[0])
    if (token !== TokenType.RIGHT_BRACE && token !== TokenType.RIGHT_BRACKET) return
    depth -= 1
    if (depth === 1) inLibraries = false
    if (depth === 2 && element && token === TokenType.RIGHT_BRACE) end(element, offset)
  }
  tokenizer.onEnd = () => undefined
  parser.onValue = ({ value, key: name, stack }) => {
    valueAt = Number.POSITIVE_INFINITY
    if (!element || element.refused !== undefined) {
      if (element && name === 'project' && stack.length === 3) element.head.project = value
      return
    }
    if (stack.length === 3) {
      if (value !== null) element.head[String(name)] = value
      return
    }
    const list = String(stack[3]?.key)
    if (stack.length === 4 && isList(list)) takeSnippet(element, list, value)
  }
  const takeSnippet = (of: Element, list: SnippetList, value: unknown) => {
    const number = of.lists[list]++
    if (of.lists.codeSnippets + of.lists.infoSnippets > limits.elementSnippets) {
      of.refused = tooLarge(of.lists, 0, limits)
      return
    }
    const read = schemas[list].safeParse(withoutNulls(value), { error: ruleOf })
    if (read.success) events.push({ kind: 'snippet', list, snippet: read.data })
    else of.refused = sentence(`${list}[${number}]`, read.error)
  }
  const take = (feed: () => void) => {
    try {
      feed()
    } catch (error) {
      throw error instanceof AppError ? error : refuse('is not valid JSON in UTF-8', error)
    }
  }

  return {
    take(chunk: Uint8Array): BundleEvent[] {
      events = []
      take(() => tokenizer.write(chunk))
      fed += chunk.length
      if (fed - Math.min(tokenAt, valueAt) > limits.valueBytes + chunk.length)
        throw refuse(`holds a single value of more than ${limits.valueBytes} bytes`)
      if (element && fed - element.at > limits.elementBytes) element.refused ??= tooLarge(element.lists, fed - element.at, limits)
      return events
    },
    end() {
      if (!parser.isEnded) throw refuse('ends half-way: it is not complete JSON, and nothing of it is imported')
      take(() => tokenizer.end())
      if (!listed) throw refuse('must be a JSON object with the list "libraries"')
    },
  }
}

function tooLarge(
  { codeSnippets, infoSnippets }: Element['lists'],
  sizeBytes: number,
  { elementBytes, elementSnippets }: ReadLimits,
): string | undefined {
  if (codeSnippets + infoSnippets <= elementSnippets && sizeBytes <= elementBytes) return undefined
  return `library_too_large: at most ${elementSnippets} snippets and ${elementBytes} bytes of one library can be imported.`
}

const shownText = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}…` : text)

/** Bundles of others say null where there is nothing. */
const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
    : value

function sentence(at: string, { issues }: z.ZodError): string {
  const { path = [], message } = issues[0] ?? { message: 'is malformed' }
  const name = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
    at,
  )
  return `${name} ${message.replace(/\.$/, '')}.`
}
