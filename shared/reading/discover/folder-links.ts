import { lstat, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type LinkTarget, linkTargets } from './link-target.ts'
import { textTarget } from './text-target.ts'

/** A link to a folder of the same clone; both are paths from the root. */
export type FolderLink = { path: string; target: string }

const maxLinks = 1_000

/** Those of the given files that lead to a folder: links, and text files in which Windows stored a link. */
export async function folderLinks(dir: string, paths: string[], signal: AbortSignal): Promise<FolderLink[]> {
  const root = await realpath(dir)
  const targetOf = linkTargets(root)
  const links: FolderLink[] = []
  for (const path of paths) {
    signal.throwIfAborted()
    const target = await leadsTo(root, path, targetOf)
    if (target?.isFolder && links.push({ path, target: target.path }) === maxLinks) break
  }
  return links
}

async function leadsTo(root: string, path: string, targetOf: ReturnType<typeof linkTargets>): Promise<LinkTarget | undefined> {
  const stats = await lstat(join(root, path)).catch(() => undefined)
  if (stats?.isSymbolicLink()) return targetOf(path)
  const target = stats?.isFile() ? textTarget(path, await readFile(join(root, path), 'utf8')) : undefined
  return target === undefined ? undefined : targetOf(target)
}
