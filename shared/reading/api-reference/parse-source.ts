import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Language, Node, Parser } from '@vscode/tree-sitter-wasm'
import type { Page, ReaderContext } from '../page/page.ts'

export type SourceNode = Node
export const sourceLanguages = ['python', 'typescript', 'tsx', 'go', 'rust', 'java'] as const
export type SourceLanguage = (typeof sourceLanguages)[number]

/** The parsers in WebAssembly. A bundle has them next to itself: `packaging/bundle.ts` replaces the address. */
function readParser(name: string): Promise<Buffer> {
  const folder = pathToFileURL(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'))
  return readFile(new URL(`${name}.wasm`, folder))
}

type TreeSitter = typeof import('@vscode/tree-sitter-wasm')
let loading: Promise<TreeSitter> | undefined
const parsers = new Map<SourceLanguage, Promise<Parser>>()

async function loadTreeSitter(): Promise<TreeSitter> {
  const { default: treeSitter } = await import('@vscode/tree-sitter-wasm')
  const options: EmscriptenOptions = { wasmBinary: await readParser('tree-sitter') }
  await treeSitter.Parser.init(options as unknown as Parameters<typeof Parser.init>[0])
  return treeSitter
}

/** The declared type of `init` lacks the options of Emscripten. */
type EmscriptenOptions = { wasmBinary: Uint8Array }

async function loadParser(language: SourceLanguage): Promise<Parser> {
  loading ??= loadTreeSitter()
  const treeSitter = await loading
  const grammar: Language = await treeSitter.Language.load(await readParser(`tree-sitter-${language}`))
  return new treeSitter.Parser().setLanguage(grammar)
}

/**
 * Gives the tree of a source file to `read`, and frees it afterwards. Code that cannot be parsed has nodes of the type ERROR. Indexes count
 * UTF-16 units, rows start with 0.
 */
export async function parseSource<T>(language: SourceLanguage, text: string, read: (root: SourceNode) => T): Promise<T> {
  const started = parsers.get(language) ?? loadParser(language)
  parsers.set(language, started)
  const tree = (await started).parse(text)
  if (!tree) throw new Error('it cannot be parsed')
  try {
    return read(tree.rootNode)
  } finally {
    tree.delete()
  }
}

/** The tree of a file takes up to 400 times its size. */
export const maxSourceBytes = 1024 * 1024
/** Larger files are read in a separate process: the memory of WebAssembly never shrinks, and the heap limit of a thread does not bound it. */
export const maxThreadSourceBytes = 256 * 1024

/** A reader throws it in a thread for a page that needs the separate process. */
export class NeedsProcess extends Error {}

/**
 * The text of another source file of a page, to be parsed; `isTooLarge` instead if that may not be. Undefined as from `readFile`. Throws
 * `NeedsProcess`.
 */
export function readSource(
  { readFile, isInThread }: ReaderContext,
  path: string,
): { text: string } | { isTooLarge: true } | undefined {
  const text = readFile(path)
  if (text === undefined) return undefined
  if (text.length > maxSourceBytes) return { isTooLarge: true }
  if (isInThread && text.length > maxThreadSourceBytes) throw new NeedsProcess()
  return { text }
}

const maxNamed = 20

/** A page that says which of its files are not read, if there are any. */
export function withoutFiles(page: Page, paths: string[]): Page {
  if (paths.length === 0) return page
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ''
  return { ...page, omitted: `these files of it are not read: ${paths.slice(0, maxNamed).join(', ')}${more}` }
}

export const lineOf = (node: SourceNode): number => node.startPosition.row + 1

/** The lines of a declaration. */
export const linesOf = ({ startPosition, endPosition }: SourceNode): { line: number; endLine: number } => ({
  line: startPosition.row + 1,
  endLine: Math.max(startPosition.row, endPosition.row - (endPosition.column === 0 ? 1 : 0)) + 1,
})

/** The children of a node that are no punctuation. */
export const childrenOf = (node: SourceNode | null | undefined): SourceNode[] =>
  node ? node.namedChildren.filter((each) => each !== null) : []
