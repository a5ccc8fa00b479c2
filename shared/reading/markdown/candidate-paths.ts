import { dirname, extname, join, normalize } from 'node:path/posix'

const usualRoots = ['docs', 'docs/snippets', 'docs/includes', 'snippets', 'includes', 'src']
const documents = new Set(['.md', '.markdown', '.mdx', '.rst', '.adoc', '.asciidoc', '.txt', '.html', '.htm'])
const maxLength = 400

/**
 * Possible files for a path written in a page, from the root of the repository, most likely first: site generators resolve it from the page,
 * from their root folder above it, or from a folder of snippets. Empty for URLs and paths outside the repository.
 */
export function candidatePaths(written: string, page: string): string[] {
  if (written.length > maxLength || /^[a-z][\w+.-]*:|^\/\//i.test(written) || written.includes('\0')) return []
  const path = written.replace(/^(?:@site|~@|@|~)?\/+/, '')
  const folders = foldersAbove(dirname(page))
  const bases = path === written ? [...folders, ...usualRoots] : [...folders.toReversed(), ...usualRoots]
  const found = bases
    .map((base) => normalize(join(base, path)))
    .filter((each) => each !== '..' && !each.startsWith('../') && !each.endsWith('/'))
  return [...new Set(found)]
}

/** True if the file is a document, so that an include inserts its lines; other files become listings. */
export const isDocument = (path: string): boolean => documents.has(extname(path).toLowerCase())

function foldersAbove(folder: string): string[] {
  const folders = [folder]
  for (let at = folder; at !== '.' && at !== '/'; at = dirname(at)) folders.push(dirname(at))
  return folders
}
