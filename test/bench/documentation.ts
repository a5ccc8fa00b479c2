import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { documentKind } from '../../shared/reading/discover/document-kind.ts'
import { git } from '../fixtures/git-repository.ts'

/** Real documentation: the text of its files by path. */
export type Library = { name: string; files: Map<string, string>; questions: string[] }
export type Documentation = { source: string; libraries: Library[] }

export type DocumentationOptions = {
  /** A library per folder. */
  docs?: string[] | undefined
  /** A folder with repositories and questions, as `npm run eval` reads. */
  kit?: string | undefined
}

const root = new URL('../..', import.meta.url).pathname
const otherFolder = /^(\.git|node_modules)$/
/** Lists of changes and licenses have another shape than documentation. */
const packageDocument = /^(?!change|history|release|licen[cs]e|copying|third|notice).*\.mdx?$/i

/** The folders of the caller, else the repositories of a kit, else what the installed packages of this project bring. */
export async function documentation({ docs, kit }: DocumentationOptions, folder: string): Promise<Documentation> {
  if (docs !== undefined) {
    const libraries = docs.map((each) => ({ name: basename(resolve(each)), files: readDocuments(each), questions: [] }))
    const empty = libraries.findIndex(({ files }) => files.size === 0)
    if (empty >= 0) throw new Error(`${docs[empty]} has no documentation.`)
    return { source: docs.join(', '), libraries }
  }
  if (kit !== undefined) return { source: kit, libraries: await readKit(kit, folder) }
  const files = packageDocuments(join(root, 'node_modules'))
  return { source: 'installed packages', libraries: [{ name: 'packages', files, questions: [] }] }
}

/** Documents of a folder by path, in the order of paths. */
function readDocuments(folder: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const path of pathsBelow(folder))
    if (documentKind(path) === 'document') files.set(path, readFileSync(join(folder, path), 'utf8'))
  return files
}

/** Markdown of all packages. Of files with the same text, such as the READMEs of one family, only the first. */
export function packageDocuments(modules: string): Map<string, string> {
  const files = new Map<string, string>()
  const seen = new Set<string>()
  for (const path of pathsBelow(modules)) {
    if (!packageDocument.test(basename(path))) continue
    const text = readFileSync(join(modules, path), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    if (!seen.has(hash)) files.set(path, text)
    seen.add(hash)
  }
  return files
}

function pathsBelow(folder: string, path = ''): string[] {
  const entries = readdirSync(join(folder, path), { withFileTypes: true })
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) return otherFolder.test(entry.name) ? [] : pathsBelow(folder, below)
      return entry.isFile() ? [below] : []
    })
}

async function readKit(kit: string, folder: string): Promise<Library[]> {
  const split = join(kit, 'public')
  if (!existsSync(join(split, 'corpora.json'))) throw new Error(`${split} has no corpora.json.`)
  const read = <T>(name: string, schema: z.ZodType<T>): T => schema.parse(JSON.parse(readFileSync(join(split, name), 'utf8')))
  const corpora = read('corpora.json', z.array(z.object({ corpus: z.string(), bundle: z.string() })))
  const queries = read('queries.json', z.array(z.object({ corpus: z.string(), query: z.string() })))
  const libraries: Library[] = []
  for (const { corpus, bundle } of corpora) {
    const clone = join(folder, 'kit', corpus)
    await git(folder, ['clone', '--quiet', '--branch', 'main', join(resolve(split), bundle), clone])
    const questions = queries.filter((each) => each.corpus === corpus).map(({ query }) => query)
    libraries.push({ name: corpus, files: readDocuments(clone), questions })
  }
  return libraries
}
