import { opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { basename, dirname, extname } from 'node:path/posix'
import { z } from 'zod'
import { type CloneSelection, type Selector, selector } from './selection.ts'

const codeExtensions = new Set(
  'ts tsx mts cts js jsx mjs cjs py go rs java kt kts scala rb php cs swift c h cc cpp hpp m ex exs erl hs clj lua dart jl r pl sol zig'.split(
    ' ',
  ),
)
/** Folders of a repository that hold no code of the library for its users. */
export const otherFolder =
  /^(\..*|node_modules|vendor|third[-_]?party|dist|build|out|target|coverage|tests?|__tests__|specs?|__mocks__|mocks?|fixtures?|testdata|bench(marks?)?|e2e|migrations|locales?|generated|__pycache__)$/i
export const otherFile =
  /\.(min|test|spec|stories|config|generated|bundle|pb)\.\w+$|\.d\.[cm]?ts$|_test\.\w+$|^test_|_pb2?(_grpc)?\.pyi?$|^(conftest|setup|gulpfile|gruntfile)\.\w+$/i
const entryName = /^(index|main|lib|mod|__init__|api|client|server|app|cli|core|public[-_]?api)$/i
const codeFolder = /^(src|lib|libs|pkg|packages|crates|include|app)$/i
const exampleFolder = /^(examples?|samples?|demos?)$/i
/** Matches lines that export something. */
const exported =
  /^(?:export |pub |module\.exports|exports\.|public |def [a-z]|class |func (?:\((?:(?!\)).)*\) )?[A-Z]|defmodule |sub )/gm

const maxEntries = 100_000
const maxRead = 500
const [minBytes, maxBytes] = [40, 200_000]
const maxManifestBytes = 64 * 1024

type Found = { path: string; score: number }

/**
 * Source files for generated documentation, the most relevant first: entry points of the manifest, names and folders of public code, number of
 * exports. Links are skipped, so that nothing outside the repository is read.
 */
export async function sourceFiles(root: string, selection: CloneSelection, maxFiles: number): Promise<string[]> {
  const entries = await entryPoints(root)
  const candidates: Found[] = []
  for await (const path of walk(root, selector(selection))) candidates.push({ path, score: scoreOf(path, entries) })
  candidates.sort(bestFirst)
  const scored: Found[] = []
  for (const { path, score } of candidates.slice(0, maxRead)) {
    const exports = await exportsOf(join(root, path))
    if (exports !== undefined) scored.push({ path, score: score + Math.log2(1 + exports) })
  }
  return scored
    .sort(bestFirst)
    .slice(0, maxFiles)
    .map(({ path }) => path)
}

const bestFirst = (a: Found, b: Found): number => b.score - a.score || (a.path < b.path ? -1 : 1)

async function* walk(root: string, select: Selector): AsyncGenerator<string> {
  const waiting = ['']
  let entries = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const entry of await opendir(join(root, folder))) {
      if (++entries > maxEntries) return
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !otherFolder.test(entry.name) && select.excludedBy(path) === undefined) waiting.push(path)
      if (entry.isFile() && isCode(entry.name) && select.includes(path)) yield path
    }
  }
}

const isCode = (name: string): boolean => codeExtensions.has(extname(name).slice(1).toLowerCase()) && !otherFile.test(name)

function scoreOf(path: string, entries: Set<string>): number {
  const folders = dirname(path)
    .split('/')
    .filter((name) => name !== '.')
  const stem = withoutExtension(path)
  return (
    (entries.has(stem) || entries.has(stem.replace(/\/index$/, '')) ? 8 : 0) +
    (entryName.test(basename(stem)) ? 4 : 0) +
    (folders.some((name) => codeFolder.test(name)) ? 2 : 0) -
    (folders.some((name) => exampleFolder.test(name)) ? 1 : 0) -
    folders.length / 2
  )
}

/** Number of exports; undefined for a file that is too small or too large. */
async function exportsOf(file: string): Promise<number | undefined> {
  const { size } = await stat(file)
  if (size < minBytes || size > maxBytes) return undefined
  return (await readFile(file, 'utf8')).match(exported)?.length ?? 0
}

const Paths = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .optional()
  .catch(undefined)
const Manifest = z.object({ main: Paths, module: Paths, types: Paths, bin: Paths, exports: Paths })

/** Files that the root's package.json names, without extensions, as named and at the likely path of their sources. */
async function entryPoints(root: string): Promise<Set<string>> {
  try {
    const file = join(root, 'package.json')
    if ((await stat(file)).size > maxManifestBytes) return new Set()
    const named = textsIn(Manifest.parse(JSON.parse(await readFile(file, 'utf8'))))
    const stems = named.map((path) => withoutExtension(path.replace(/^\.\//, '')))
    return new Set(stems.flatMap((stem) => [stem, stem.replace(/^(dist|build|lib|out)\//, 'src/')]))
  } catch {
    return new Set()
  }
}

const textsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null && depth < 5
    ? Object.values(value).flatMap((each) => textsIn(each, depth + 1))
    : []
}

const withoutExtension = (path: string): string => path.replace(/(\.d)?\.\w+$/, '')
