import { posix } from 'node:path'

/**
 * The other files of each Go package, by the file that its page is named after: the first that `isReadable`. `paths` are all documents.
 */
export async function packageFiles(
  paths: readonly string[],
  isReadable: (path: string) => Promise<boolean>,
): Promise<Map<string, string[]>> {
  const packages = Map.groupBy(
    paths.filter((path) => path.endsWith('.go')),
    (path) => posix.dirname(path),
  )
  const parts = new Map<string, string[]>()
  for (const [folder, files] of packages) {
    const first = await firstOf(folder, files, isReadable)
    parts.set(
      first,
      files.filter((path) => path !== first),
    )
  }
  return parts
}

async function firstOf(folder: string, files: string[], isReadable: (path: string) => Promise<boolean>): Promise<string> {
  const named = (name: string) => files.filter((path) => posix.basename(path, '.go') === name)
  const ordered = [...new Set([...named('doc'), ...named(posix.basename(folder)), ...files])]
  for (const path of ordered) if (await isReadable(path)) return path
  return ordered[0] ?? ''
}

/** True if a file of Go states its package: no pointer, no link. */
export const statesPackage = (text: string | undefined): boolean => text !== undefined && /^[ \t]{0,9}package[ \t]/m.test(text)
