import { opendir, readlink, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { dirname, isAbsolute, normalize } from 'node:path/posix'

/** The target of a link of a clone: a path from the root, '' being the root itself. */
export type LinkTarget = { path: string; isFolder: boolean }

export const brokenLink = 'a link that is broken or leads out of the repository'

/** Maximum number of searches for a name in another spelling, which read folders. */
const maxSearches = 100
const maxNames = 10_000

/**
 * Returns a function that resolves a link. It returns undefined if the link is broken or leads out of the clone. Names are also found in
 * another case, as on the file systems of Windows and macOS, where the author may have tried them.
 */
export function linkTargets(root: string): (path: string) => Promise<LinkTarget | undefined> {
  let searches = 0
  return async (path) => {
    try {
      return await resolved(root, join(root, path))
    } catch {
      return ++searches > maxSearches ? undefined : searchTarget(root, path).catch(() => undefined)
    }
  }
}

/** Throws if the path does not exist. */
async function resolved(root: string, path: string): Promise<LinkTarget | undefined> {
  const real = await realpath(path)
  if (real !== root && !real.startsWith(root + sep)) return undefined
  return { path: relative(root, real), isFolder: (await stat(real)).isDirectory() }
}

async function searchTarget(root: string, path: string): Promise<LinkTarget | undefined> {
  const text = await readlink(join(root, path))
  return isAbsolute(text) ? undefined : searchPath(root, join(dirname(path), text.replaceAll('\\', '/')))
}

/** Follows a path name by name and never reads a folder outside of the root. */
async function searchPath(root: string, path: string): Promise<LinkTarget | undefined> {
  let current: LinkTarget | undefined = { path: '', isFolder: true }
  for (const name of normalize(path).split('/')) {
    if (!current?.isFolder || name === '..') return undefined
    const spelled = await spelledLike(join(root, current.path), name)
    current = spelled === undefined ? undefined : await resolved(root, join(root, current.path, spelled))
  }
  return current
}

/** The name as the folder spells it. Undefined if it has none, or several in other cases. */
async function spelledLike(folder: string, name: string): Promise<string | undefined> {
  const others: string[] = []
  let names = 0
  for await (const entry of await opendir(folder)) {
    if (entry.name === name) return name
    if (entry.name.toLowerCase() === name.toLowerCase()) others.push(entry.name)
    if (++names > maxNames) return undefined
  }
  return others.length === 1 ? others[0] : undefined
}
