import { posix } from 'node:path'
import { z } from 'zod'
import type { ReaderContext } from '../../page/page.ts'

const Paths = z
  .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .optional()
  .catch(undefined)
const Manifest = z.object({
  name: z.string().optional().catch(undefined),
  main: Paths,
  module: Paths,
  types: Paths,
  typings: Paths,
  exports: Paths,
})

const usual = ['src/index', 'index', 'src/main', 'src/mod', 'mod', 'lib/index']
const builtFolder = /^(?:dist|build|lib|out|esm|cjs|types)\//
const maxDepth = 6

/** The name under which users import a file, if the nearest `package.json` has it as an entry. */
export function importName({ path, readFile }: Pick<ReaderContext, 'path' | 'readFile'>): string | undefined {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const text = readFile(posix.join(folder, 'package.json'))
    if (text !== undefined) return entryIn(text, posix.relative(folder, path))
    if (folder === '.') return undefined
  }
}

function entryIn(text: string, file: string): string | undefined {
  const manifest = parseManifest(text)
  if (!manifest?.name) return undefined
  const stem = stemOf(file)
  for (const [subpath, paths] of entriesOf(manifest)) {
    if (paths.some((path) => candidates(path).includes(stem))) return posix.join(manifest.name, subpath)
  }
  return undefined
}

function parseManifest(text: string): z.infer<typeof Manifest> | undefined {
  try {
    return Manifest.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The files of each import path. The usual names are those of the package, if it has no others. */
function entriesOf({ main, module, types, typings, exports }: z.infer<typeof Manifest>): [string, string[]][] {
  const entries: [string, string[]][] = []
  if (typeof exports === 'object' && !Array.isArray(exports) && Object.keys(exports).some((key) => key.startsWith('.')))
    for (const [subpath, value] of Object.entries(exports)) {
      if (!subpath.includes('*') && !subpath.endsWith('.json')) entries.push([subpath, textsIn(value)])
    }
  else entries.push(['.', textsIn(exports)])
  entries.push(['.', [main, module, types, typings].flatMap((each) => textsIn(each))], ['.', usual])
  return entries
}

const textsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null && depth < maxDepth
    ? Object.values(value).flatMap((each) => textsIn(each, depth + 1))
    : []
}

/** A path as named, and at the likely place of its source. */
function candidates(path: string): string[] {
  const stem = stemOf(path.replace(/^\.\//, ''))
  const inside = stem.replace(builtFolder, '')
  const deeper = inside.replace(builtFolder, '')
  return [stem, inside, deeper, `src/${inside}`, `src/${deeper}`].flatMap((each) => [each, `${each}/index`])
}

const stemOf = (path: string): string => path.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '')
