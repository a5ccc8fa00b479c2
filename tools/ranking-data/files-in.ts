import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { UsageError } from '../../shared/cli/usage-error.ts'

/** Paths of the files in a folder that end with one of `extensions`, relative to it, in a fixed order. Throws if the folder is missing. */
export function filesIn(folder: string, extensions: string[]): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${folder} is not a folder.`)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.some((extension) => entry.name.endsWith(extension)))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('.git/'))
    .sort()
}
