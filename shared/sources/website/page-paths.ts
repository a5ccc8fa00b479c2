import { hash } from 'node:crypto'

const maxSegmentChars = 80
const maxPathChars = 200

/** Gives each address a file path of its own, with the folders of the address. */
export function pagePaths(): (url: URL, extension: 'html' | 'md') => string {
  const pathOf = uniquePaths()
  return (url, extension) => `${pathOf(segmentsOf(url), url.href)}.${extension}`
}

/** Gives each page a unique file path without extension, below folders with these names. `id` identifies the page. */
export function uniquePaths(): (names: readonly string[], id: string) => string {
  const taken = new Set<string>()
  return (names, id) => {
    const path = readablePath(names)
    const key = path.toLowerCase()
    const unique = taken.has(key) ? `${path}-${hash('sha256', id).slice(0, 8)}` : path
    taken.add(key)
    return unique
  }
}

function segmentsOf({ pathname, search }: URL): string[] {
  const segments = decoded(pathname)
    .split('/')
    .filter((segment) => segment !== '')
  const isFolder = pathname.endsWith('/')
  const last = segments.at(-1)?.replace(/\.(?:html?|xhtml|php|aspx?|mdx?|markdown|txt)$/i, '')
  const named = isFolder || last === undefined ? [...segments, 'index'] : [...segments.slice(0, -1), last]
  if (search !== '') named.push(`${named.pop()}-${decoded(search.slice(1))}`)
  return named
}

/** The folder `docs` says that the others below it are subjects: a page about tests is not a test. */
function readablePath(names: readonly string[]): string {
  const path = ['docs', ...names.map(fileName)].join('/')
  return path.length > maxPathChars ? `${path.slice(0, maxPathChars - 9)}-${hash('sha256', path).slice(0, 8)}` : path
}

const fileName = (segment: string): string =>
  segment
    .replace(/[^\p{L}\p{N}._~-]+/gu, '-')
    .replace(/^\.+/, '_')
    .slice(0, maxSegmentChars) || '_'

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
