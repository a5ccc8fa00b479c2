import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { decodeText } from '../discover/decode-text.ts'

/** The text of a file of a repository. Undefined if it is absent, too large, not text, or a link that leads out of the repository. */
export async function readInside(root: string, path: string, maxBytes = 2 ** 20): Promise<string | undefined> {
  try {
    const file = await realpath(join(root, path))
    if (!file.startsWith((await realpath(root)) + sep)) return undefined
    const stats = await stat(file)
    if (!stats.isFile() || stats.size > maxBytes) return undefined
    const text = decodeText(await readFile(file))
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
