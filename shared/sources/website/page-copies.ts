import { hash } from 'node:crypto'
import { copyFile, link, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageVersion } from '../../system/package-version.ts'
import type { PageFacts } from './page-facts.ts'

/** Stored pages of an earlier crawl, if there was one, and the folder for those of this one. */
export type PageCopies = { earlier?: string | undefined; next: string }

/** A page as it was read. `url` is the address after redirects. */
export type PageCopy = {
  url: string
  etag?: string | undefined
  lastModified?: string | undefined
  kind: 'html' | 'markdown'
  facts: PageFacts
  /** Path of its file, whose text has no scripts and pictures. */
  file: string
}

type Stored = Omit<PageCopy, 'file'> & { release: string }

const nameOf = (url: string): string => hash('sha256', url).slice(0, 32)

/** The path for the file of the page that was requested by this address. */
export const copyFileOf = (folder: string, url: string): string => join(folder, `${nameOf(url)}.html`)

/** The page that an earlier crawl of the same release of the program read. */
export async function findCopy(folder: string | undefined, url: string): Promise<PageCopy | undefined> {
  if (folder === undefined) return undefined
  try {
    const stored: Stored = JSON.parse(await readFile(join(folder, `${nameOf(url)}.json`), 'utf8'))
    return stored.release === packageVersion() ? { ...stored, file: copyFileOf(folder, url) } : undefined
  } catch {
    return undefined
  }
}

/** Records the facts of a page whose file is at `copyFileOf`. */
export async function saveCopy(folder: string, url: string, { file: _, ...page }: PageCopy): Promise<void> {
  const stored: Stored = { ...page, release: packageVersion() }
  await writeFile(join(folder, `${nameOf(url)}.json`), JSON.stringify(stored))
}

/** Takes an unchanged page over from the earlier crawl. */
export async function reuseCopy(folder: string, url: string, copy: PageCopy): Promise<PageCopy> {
  const file = copyFileOf(folder, url)
  await link(copy.file, file).catch(() => copyFile(copy.file, file))
  const reused = { ...copy, file }
  await saveCopy(folder, url, reused)
  return reused
}

export const conditionsOf = (copy: PageCopy | undefined): Record<string, string> => ({
  ...(copy?.etag && { 'if-none-match': copy.etag }),
  ...(copy?.lastModified && { 'if-modified-since': copy.lastModified }),
})
