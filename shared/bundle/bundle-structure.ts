import { TokenType } from '@streamparser/json'
import { AppError } from '../errors.ts'
import { BundleHead, type bundleLimits } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import { type ElementEnd, type ElementReader, isSnippetList, readElement, type SnippetList } from './read-element.ts'

/** The content of a body, in order. Snippets of an element that ends as `refused` are ignored. */
export type BundleEvent =
  | { kind: 'snippet'; list: SnippetList; snippet: BundleSnippet }
  | ElementEnd
  | { kind: 'force'; force: boolean }
  /** A field next to the libraries that is not read. */
  | { kind: 'unknown'; field: string }

export type ReadLimits = Pick<typeof bundleLimits, 'elements' | 'elementBytes' | 'elementSnippets'> & {
  /** The limit of one snippet or one other value of a library. */
  valueBytes: number
  depth: number
}

/** A body after the tokens so far. */
type Body = {
  /** The name of the body in messages. */
  what: string
  limits: ReadLimits
  events: BundleEvent[]
  /** The number of open objects and lists. */
  depth: number
  /** The number of libraries so far. */
  elements: number
  /** The library that is open, and its offset. */
  element: { reader: ElementReader; at: number } | undefined
  hasLibraries: boolean
  inLibraries: boolean
  /** The last token of the open object, which is a key if a colon follows. */
  last: unknown
  key: string
  /** True after a colon. */
  isValue: boolean
  /** The offset of the value that is being assembled. */
  valueAt: number
}

export type BundleStructure = {
  readonly body: Readonly<Body>
  /** Takes a token before the parser gets it. Returns true if it opens a list of snippets. */
  open(token: TokenType, value: unknown, at: number): boolean
  /** Takes a token after the parser got it. */
  close(token: TokenType, at: number): void
  /** Takes a value that the parser has assembled: a field of the open library, or a snippet of one of its lists. */
  field(name: string, value: unknown): void
  snippet(list: SnippetList, value: unknown): void
  /** Returns the events since the last call. */
  takeEvents(): BundleEvent[]
  checkDepth(levels: number): void
  invalid(why: string, cause?: unknown): AppError
}

const nowhere = Number.POSITIVE_INFINITY
/** The reason if a body is no object, or lacks its list. */
export const noLibraries = 'must be a JSON object with the list "libraries"'

/** Follows the structure of a body and reads its libraries. `what` names the body in messages. */
export function bundleStructure(what: string, limits: ReadLimits): BundleStructure {
  const body: Body = {
    what,
    limits,
    events: [],
    depth: 0,
    elements: 0,
    element: undefined,
    hasLibraries: false,
    inLibraries: false,
    last: undefined,
    key: '',
    isValue: false,
    valueAt: nowhere,
  }
  return {
    body,
    open(token, value, at) {
      levels[body.depth]?.(body, token, value, at)
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) body.depth += 1
      checkDepth(body, body.depth)
      return token === TokenType.LEFT_BRACKET && body.depth === 4 && body.element !== undefined && isSnippetList(body.key)
    },
    close(token, at) {
      if (token !== TokenType.RIGHT_BRACE && token !== TokenType.RIGHT_BRACKET) return
      body.depth -= 1
      if (body.depth === 1) body.inLibraries = false
      if (body.depth !== 2 || !body.element || token !== TokenType.RIGHT_BRACE) return
      body.events.push(body.element.reader.end(at - body.element.at))
      body.element = undefined
    },
    field(name, value) {
      body.valueAt = nowhere
      body.element?.reader.field(name, value)
    },
    snippet(list, value) {
      body.valueAt = nowhere
      const snippet = body.element?.reader.snippet(list, value)
      if (snippet) body.events.push({ kind: 'snippet', list, snippet })
    },
    takeEvents() {
      const { events } = body
      body.events = []
      return events
    },
    checkDepth: (depth) => checkDepth(body, depth),
    invalid: (why, cause) => invalid(body, why, cause),
  }
}

/** The meaning of a token, by the number of objects and lists that are open before it. */
const levels: ((body: Body, token: TokenType, value: unknown, at: number) => void)[] = [
  function start(body, token) {
    if (token !== TokenType.LEFT_BRACE) throw invalid(body, noLibraries)
  },
  function bodyField(body, token, value) {
    if (body.isValue) readBodyValue(body, token)
    readKey(body, token, value)
  },
  function library(body, token, _, at) {
    if (body.inLibraries && token !== TokenType.COMMA && token !== TokenType.RIGHT_BRACKET) beginLibrary(body, token, at)
  },
  function libraryField(body, token, value, at) {
    if (!body.element) return
    if (body.isValue) readLibraryValue(body, body.element.reader, token, at)
    readKey(body, token, value)
  },
  function snippet(body, _, __, at) {
    if (body.element && isSnippetList(body.key)) body.valueAt = at
  },
]

function readKey(body: Body, token: TokenType, value: unknown): void {
  body.isValue = token === TokenType.COLON
  if (body.isValue) body.key = String(body.last)
  else body.last = value
}

function readBodyValue(body: Body, token: TokenType): void {
  const { key } = body
  if (key === 'libraries') {
    if (token !== TokenType.LEFT_BRACKET) throw invalid(body, 'has "libraries" that is not a list')
    body.hasLibraries = body.inLibraries = true
  } else if (key === 'force') {
    if (token !== TokenType.TRUE && token !== TokenType.FALSE) throw invalid(body, 'has a "force" that is neither true nor false')
    body.events.push({ kind: 'force', force: token === TokenType.TRUE })
  } else body.events.push({ kind: 'unknown', field: key })
}

function beginLibrary(body: Body, token: TokenType, at: number): void {
  const { limits, what } = body
  const place = `libraries[${body.elements++}]`
  if (body.elements > limits.elements)
    throw new AppError('payload_too_large', `${what} holds more than ${limits.elements} libraries; send it in parts.`)
  if (token === TokenType.LEFT_BRACE) body.element = { reader: readElement(place, limits), at }
  else body.events.push({ kind: 'refused', project: place, reason: 'It must be a JSON object.' })
}

function readLibraryValue(body: Body, reader: ElementReader, token: TokenType, at: number): void {
  const { key } = body
  const isField = Object.hasOwn(BundleHead.shape, key)
  if (isSnippetList(key) && token === TokenType.LEFT_BRACKET) reader.list(key)
  else if (isSnippetList(key) && token !== TokenType.NULL) reader.reject(`${key} must be a list.`)
  else body.valueAt = isField ? at : nowhere
  if (!isSnippetList(key) && !isField) reader.unknown(key)
}

function checkDepth(body: Body, depth: number): void {
  if (depth > body.limits.depth) throw invalid(body, `is nested more than ${body.limits.depth} levels deep`)
}

const invalid = ({ what }: Body, why: string, cause?: unknown): AppError =>
  new AppError('validation_error', `${what} ${why}.`, { cause })
