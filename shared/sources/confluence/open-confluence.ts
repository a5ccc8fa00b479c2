import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import type { OpenedSource } from '../../reading/opened-source.ts'
import { type ConfluenceCredentials, siteOf } from '../../schemas/confluence-site.ts'
import { pluralize } from '../../text/figures.ts'
import { type DownloadAccess, openDownloads } from '../download.ts'
import { isOfPublicHost } from '../is-of-public-host.ts'
import { type SourceOf, sourceAddress } from '../other-source.ts'
import { replaceFolder } from '../replace-folder.ts'
import { pace, politeHosts } from '../website/polite-host.ts'
import { contentId, currentSource, type SourceFile } from '../whole-source.ts'
import type { ConfluenceApi, ListedPage } from './confluence-api.ts'
import { confluenceRequests, isHidden } from './confluence-requests.ts'
import { type Listing, listPages } from './list-pages.ts'
import { openApi } from './open-api.ts'
import { treePaths } from './page-tree.ts'
import { storageHtml } from './storage-html.ts'

type Job = {
  folder: string
  /** The folder that keeps the texts until the next reading, so that unchanged ones need not be sent again. */
  copies?: string | undefined
  /** The stored credentials of the site with an address; undefined for another site. */
  credentialsOf?: ((site: string) => ConfluenceCredentials | undefined) | undefined
  signal: AbortSignal
  onProgress(message: string): void
}

const connectMs = 30_000
const batch = 8
const maxSkipped = 200
/** More pages that the site fails to send end the reading. */
const maxFailed = 10

/**
 * Lists the pages of a Confluence space or of page trees. Their versions are the "commit" of the source, so that only the texts of a source
 * that has changed are fetched, and of these only the changed ones. Throws not_configured, access_denied, not_found, and what a download throws.
 */
export async function openConfluence(access: DownloadAccess, source: SourceOf<'confluence'>, job: Job): Promise<OpenedSource> {
  const site = siteOf(source.url)
  const { host } = new URL(site)
  const credentials = job.credentialsOf?.(site)
  const onPages = (count: number) => job.onProgress(`Listing ${host}: ${pluralize(count, 'page')}`)
  const listing = await withApi(access, { site, credentials, signal: job.signal }, (api) =>
    listPages({ api, site, onPages }, source),
  )
  const about = {
    title: source.title ?? source.spaceName ?? (listing.title.slice(0, 200) || undefined),
    description: source.description ?? (listing.description.slice(0, 1_000) || undefined),
  }
  const pages = [...listing.pages.values()].map(({ id, version, title, parentId, url }) => [id, version, title, parentId, url])
  const commit = contentId(JSON.stringify([about, pages.sort(), [...listing.folders].sort(), listing.skipped]))
  const isPublic = credentials === undefined && isOfPublicHost(site)
  const commitDate = lastChange(listing.pages.values())
  return currentSource({ url: sourceAddress(source), isPublic, commit, commitDate }, (dir, { signal }) =>
    withApi(access, { site, credentials, signal }, async (api) => {
      const { files, skipped, isComplete } = await readPages(api, listing, dir, { ...job, signal })
      const all = { files, about, skipped: [...listing.skipped, ...skipped] }
      // A commit that no listing has makes the next refresh ask for the failed pages again.
      return isComplete ? all : { ...all, commit: contentId(`${commit} with failed pages`) }
    }),
  )
}

async function withApi<T>(
  access: DownloadAccess,
  { site, credentials, signal }: { site: string; credentials: ConfluenceCredentials | undefined; signal: AbortSignal },
  work: (api: ConfluenceApi) => Promise<T>,
): Promise<T> {
  const downloads = await openDownloads(access, connectMs)
  try {
    return await work(await openApi(confluenceRequests(politeHosts(downloads.get, pace), site, credentials, signal)))
  } finally {
    downloads.close()
  }
}

type Read = { files: SourceFile[]; skipped: Skipped[]; isComplete: boolean }

/** Writes the pages as HTML. A page that is restricted, gone or too large is skipped; the others are read. */
async function readPages(api: ConfluenceApi, listing: Listing, dir: string, job: Job): Promise<Read> {
  const paths = treePaths(listing.pages, listing.folders)
  const copies = { earlier: await earlierCopies(job.copies), next: `${job.folder}-copies` }
  const read: Read = { files: [], skipped: [], isComplete: true }
  const pages = [...listing.pages.values()]
  let failed = 0
  await mkdir(copies.next, { recursive: true })
  await mkdir(dir, { recursive: true })
  try {
    for (let at = 0; at < pages.length; at += batch) {
      job.signal.throwIfAborted()
      const texts = await Promise.all(pages.slice(at, at + batch).map((page) => textOf(api, page, copies, job.signal)))
      for (const { page, storage, reason, error } of texts) {
        failed += error ? 1 : 0
        if (error && failed > maxFailed) throw error
        read.isComplete &&= !error
        if (reason !== undefined && read.skipped.length < maxSkipped) read.skipped.push({ path: page.url, reason })
        if (storage !== undefined)
          read.files.push(await writePage(dir, paths.get(page.id) ?? `docs/${page.id}.html`, page, storage))
      }
      job.onProgress(`Reading pages of Confluence: ${Math.min(at + batch, pages.length)} of ${pages.length}`)
    }
    if (job.copies !== undefined) await replaceFolder(job.copies, copies.next)
  } finally {
    await rm(copies.next, { recursive: true, force: true })
  }
  return read
}

async function writePage(dir: string, path: string, { title, url }: ListedPage, storage: string): Promise<SourceFile> {
  const html = await storageHtml(title, storage)
  await mkdir(dirname(join(dir, path)), { recursive: true })
  await writeFile(join(dir, path), html)
  return { path, url, id: contentId(html) }
}

/** The files of the last reading by the ids of their pages. */
async function earlierCopies(folder: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (folder === undefined) return new Map()
  const names = await readdir(folder).catch((): string[] => [])
  return new Map(names.map((name) => [name.slice(0, name.indexOf('-')), join(folder, name)]))
}

/** `reason`: why it is not read as it is now. `error`: the site failed to send it, and may send it later. */
type Text = { page: ListedPage; storage?: string; reason?: string; error?: AppError }

/** The stored text of a version, else that of the site. If the site fails to send it, that of an earlier version. */
async function textOf(
  api: ConfluenceApi,
  page: ListedPage,
  { earlier, next }: { earlier: ReadonlyMap<string, string>; next: string },
  signal: AbortSignal,
): Promise<Text> {
  const copy = earlier.get(page.id)
  const keep = async (file: string): Promise<Text> => {
    await copyFile(file, join(next, basename(file)))
    return { page, storage: await readFile(file, 'utf8') }
  }
  const name = `${page.id}-${page.version}.xml`
  if (copy !== undefined && basename(copy) === name) return keep(copy)
  try {
    const { storage, isCurrent } = await api.body(page.id)
    if (!isCurrent) return { page, reason: 'it was archived or deleted while the space was read' }
    await writeFile(join(next, name), storage)
    return { page, storage }
  } catch (error) {
    signal.throwIfAborted()
    if (isHidden(error)) return { page, reason: `it is restricted or gone: ${error.message}` }
    if (!(error instanceof AppError)) throw error
    if (error.code === 'payload_too_large') return { page, reason: error.message }
    if (error.code !== 'provider_unavailable') throw error
    return { ...(copy === undefined ? { page } : await keep(copy)), reason: error.message, error }
  }
}

function lastChange(pages: Iterable<ListedPage>): string | undefined {
  let last: Date | undefined
  for (const { changedAt } of pages) {
    const date = changedAt === undefined ? undefined : new Date(changedAt)
    if (date && !Number.isNaN(date.getTime()) && (!last || date > last)) last = date
  }
  return last?.toISOString()
}
