import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Puts `next` in the place of `folder`. A crash between the two steps costs the copies, not the library. */
export async function replaceFolder(folder: string, next: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(dirname(folder), { recursive: true })
  await rename(next, folder)
}
