import { opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { segmentsOf } from '../discover/path-matcher.ts'

/** Usual names of a folder with a documentation site, the likeliest first. */
const siteFolderNames = ['docs', 'doc', 'documentation', 'website', 'web-site', 'site', 'www', 'guide', 'book', 'manual']
/** Folders of a monorepo that hold such folders. */
const parents = ['apps', 'packages', 'projects', 'sites']
/** Folders inside a documentation folder that may hold its configuration. */
const inner = ['source', 'src', 'en']
const maxEntries = 2_000
const maxFolders = 200

/**
 * Folders that may hold the configuration of a documentation site: those that are read, each with the folders above it; the root; the usual
 * folders, those nearest to the root first. `''` is the root.
 */
export async function siteFolders(root: string, folders: string[]): Promise<string[]> {
  const siteFolders = new Set<string>()
  for (const folder of folders.slice(0, maxFolders)) for (const each of upwards(folder)) siteFolders.add(each)
  siteFolders.add('')
  const top = await usualFolders(root, '')
  for (const folder of top) for (const each of [folder, ...inner.map((name) => `${folder}/${name}`)]) siteFolders.add(each)
  for (const parent of parents) for (const folder of await usualFolders(root, parent)) siteFolders.add(folder)
  return [...siteFolders]
}

/** `a/b`, `a` for the pattern `a/b/*.md`: the part before the first wildcard, nearest first. */
function upwards(pattern: string): string[] {
  const segments = segmentsOf(pattern)
  if (segments.includes('..')) return []
  const wildcard = segments.findIndex((segment) => /[*?]/.test(segment))
  const plain = wildcard < 0 ? segments : segments.slice(0, wildcard)
  return plain.map((_, index) => plain.slice(0, plain.length - index).join('/'))
}

async function usualFolders(root: string, parent: string): Promise<string[]> {
  const names = await namesIn(root, parent)
  return siteFolderNames.flatMap((usual) =>
    names.filter((name) => name.toLowerCase() === usual).map((name) => (parent === '' ? name : `${parent}/${name}`)),
  )
}

/** The names in a folder of a repository, sorted. None if a link on its path leads elsewhere. */
export async function namesIn(root: string, folder: string): Promise<string[]> {
  const names: string[] = []
  try {
    const real = await realpath(root)
    if ((await realpath(join(real, folder))) !== join(real, folder)) return []
    for await (const { name } of await opendir(join(real, folder))) if (names.push(name) >= maxEntries) break
  } catch {
    return []
  }
  return names.sort()
}
