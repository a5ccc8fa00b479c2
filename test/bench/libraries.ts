import type { Documentation, Library } from './documentation.ts'
import { randomFrom } from './random.ts'

export const bytesOf = ({ files }: Pick<Library, 'files'>): number => {
  let bytes = 0
  for (const text of files.values()) bytes += Buffer.byteLength(text)
  return bytes
}

/** All documentation as one library, with a folder for each. */
export function merged({ libraries }: Documentation): Library {
  const [only] = libraries
  if (only && libraries.length === 1) return only
  const files = libraries.flatMap(({ name, files: own }) => [...own].map(([path, text]) => [`${name}/${path}`, text] as const))
  return { name: 'all', files: new Map(files), questions: libraries.flatMap(({ questions }) => questions) }
}

/**
 * Libraries of about `bytes` each: the files of the documentation in turn, from another file in each library. Files are in several libraries
 * if the documentation is smaller than all libraries together, but never twice in one.
 */
export function slices(documentation: Documentation, count: number, bytes: number): Library[] {
  const { files } = merged(documentation)
  const all = [...files]
  return Array.from({ length: count }, (_, number) => {
    const own = new Map<string, string>()
    const from = Math.floor((number * all.length) / count)
    for (let size = 0, i = 0; size < bytes && i < all.length; i++) {
      const [path, text] = all[(from + i) % all.length] as [string, string]
      own.set(path, text)
      size += Buffer.byteLength(text)
    }
    return { name: `part-${number}`, files: own, questions: [] }
  })
}

const formats: Record<string, RegExp> = {
  Markdown: /\.(md|markdown)$/i,
  MDX: /\.mdx$/i,
  reStructuredText: /\.rst$/i,
  AsciiDoc: /\.(adoc|asciidoc)$/i,
  notebook: /\.ipynb$/i,
  HTML: /\.html?$/i,
}

/** The documentation as one library per format that has at least `minFiles` files. */
export function byFormat(documentation: Documentation, minFiles: number): { format: string; library: Library }[] {
  const { files } = merged(documentation)
  return Object.entries(formats).flatMap(([format, name]) => {
    const own = new Map([...files].filter(([path]) => name.test(path)))
    return own.size < minFiles ? [] : [{ format, library: { name: format.toLowerCase(), files: own, questions: [] } }]
  })
}

const heading = /^(?:#{1,4}|={1,4}) +(\S.{5,80})$|^(\S.{5,80})\n[=~^-]{6,}$/gm

const headings = new WeakMap<Library, string[]>()

/**
 * The headings are searched once per library: while a client is busy, a server closes its idle connections, and the next request
 * on one of them fails.
 */
function headingsOf(library: Library): string[] {
  const found =
    headings.get(library) ??
    [...library.files.values()].flatMap((text) =>
      [...text.matchAll(heading)].map(([, title, underlined]) => title ?? underlined ?? ''),
    )
  headings.set(library, found)
  return found
}

/** Questions of the kit, else with the words of the library's headings. */
export function questionsFor(library: Library, count: number, seed: number): string[] {
  const random = randomFrom(seed)
  const { questions } = library
  const asked = questions.length > 0 ? questions : headingsOf(library)
  const prefix = questions.length > 0 ? '' : 'how do I use '
  return Array.from({ length: count }, () => `${prefix}${asked[Math.floor(random() * asked.length)] ?? 'it'}`)
}
