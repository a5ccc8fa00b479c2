import { dirname, join } from 'node:path/posix'

/** A limit in bytes; the path of any real link is shorter. */
export const maxTextLink = 1_000

/** One line without the characters that Windows allows in no path. */
const windowsPath = /^[^\s/<>:"|?*](?:[^\n\r<>:"|?*]*[^\s<>:"|?*])?$/

/**
 * The path from the root to which a file leads if its text is a link. Without support for links, git on Windows writes a link as a text file
 * that holds the path, and such a file can be committed as it is. Whether the path exists, the caller must check.
 */
export function textTarget(path: string, text: string): string | undefined {
  const target = text.replace(/\r?\n$/, '')
  if (text.length > maxTextLink || !windowsPath.test(target)) return undefined
  const joined = join(dirname(path), target).replace(/\/$/, '')
  return joined.startsWith('..') || joined === path || joined === '.' ? undefined : joined
}
