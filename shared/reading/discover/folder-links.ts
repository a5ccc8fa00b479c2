import { lstat, readFile, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderLink } from './folders-through-links.ts'
import { linkTargets } from './link-target.ts'
import { ancestors } from './selection.ts'
import type { Submodule } from './submodule.ts'
import { textTarget } from './text-target.ts'

const maxLinks = 1_000

type Clone = { dir: string; links: string[]; submodules: Submodule[] }

/**
 * The links of a clone that lead to a folder, also text files in which Windows stored a link. `submodules` are those of the clone, and the links to
 * one or into one.
 */
export async function folderLinks(clone: Clone, signal: AbortSignal): Promise<{ links: FolderLink[]; submodules: Submodule[] }> {
  const root = await realpath(clone.dir)
  const targetOf = linkTargets(root)
  const submoduleAt = new Map(clone.submodules.map((submodule) => [submodule.path, submodule]))
  const links: FolderLink[] = []
  const submodules = [...clone.submodules]
  for (const path of clone.links) {
    signal.throwIfAborted()
    const link = await readLink(root, path)
    if (!link) continue
    const target = await targetOf(link.isText ? link.to : path)
    if (target?.isFolder && links.push({ path, target: target.path }) === maxLinks) break
    const [submodule] = target ? [] : ancestors(link.to).flatMap((folder) => submoduleAt.get(folder) ?? [])
    if (submodule) submodules.push({ ...submodule, path, isLink: true })
  }
  return { links, submodules }
}

/** The target that a link names: a path from the root, which may not exist. */
async function readLink(root: string, path: string): Promise<{ to: string; isText: boolean } | undefined> {
  const file = join(root, path)
  const stats = await lstat(file).catch(() => undefined)
  const isText = stats?.isFile() === true
  if (!isText && !stats?.isSymbolicLink()) return undefined
  const to = textTarget(path, isText ? await readFile(file, 'utf8') : await readlink(file))
  return to === undefined ? undefined : { to, isText }
}
