import { AppError } from '../../errors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import { readConfluenceAddress } from '../../schemas/confluence-site.ts'
import { countOf } from '../../text/figures.ts'
import type { SourceOf } from '../other-source.ts'
import type { ConfluenceApi, FoundPage, ListedPage, Space } from './confluence-api.ts'
import { type Folders, idsAbove } from './page-tree.ts'

export type Listing = {
  pages: ReadonlyMap<string, ListedPage>
  folders: Folders
  /** The names of the space or of the first page. */
  title: string
  description: string
  skipped: Skipped[]
}

type Run = { api: ConfluenceApi; site: string; onPages(count: number): void }
type SpacePages = { pages: Map<string, ListedPage>; folders: Map<string, { title: string; parentId: string | undefined }> }

const maxPages = 10_000
const maxFolders = 1_000

/** The pages that a source names, without their texts. Throws not_found, validation_error, and what the site throws. */
export function listPages(run: Run, source: SourceOf<'confluence'>): Promise<Listing> {
  return source.spaceKey === undefined ? listNamed(run, source) : listSpace(run, source.spaceKey)
}

async function listSpace(run: Run, key: string): Promise<Listing> {
  const space = await run.api.space(key)
  if (!space) throw new AppError('not_found', `${new URL(run.site).host} has no space ${key}, or the token may not read it.`)
  const skipped: Skipped[] = []
  return { ...(await pagesOf(run, space, skipped)), title: space.name, description: space.description, skipped }
}

async function listNamed(run: Run, { pageUrls = [], includeSubPages }: SourceOf<'confluence'>): Promise<Listing> {
  const skipped: Skipped[] = []
  const found: FoundPage[] = []
  for (const url of pageUrls) {
    const address = readConfluenceAddress(url)?.page
    const page = address && (await run.api.find(address))
    if (page) found.push(page)
    else skipped.push({ path: url, reason: 'it does not exist, or the token may not read it' })
  }
  const [first] = found
  if (!first) throw new AppError('not_found', `None of the pages exists, or the token may not read them: ${pageUrls.join(', ')}`)
  const named = new Map<string, ListedPage>(found.map((page) => [page.id, page]))
  const all: SpacePages = { pages: named, folders: new Map() }
  for (const space of includeSubPages ? spacesOf(found) : []) {
    const { pages, folders } = await pagesOf(run, space, skipped)
    for (const page of pages.values())
      if (named.has(page.id) || [...idsAbove(page, pages, folders)].some((id) => named.has(id))) all.pages.set(page.id, page)
    for (const [id, folder] of folders) all.folders.set(id, folder)
  }
  return { ...all, title: first.title, description: '', skipped }
}

const spacesOf = (pages: readonly FoundPage[]) => new Map(pages.map(({ space }) => [space.id, space])).values()

async function pagesOf({ api, onPages, site }: Run, space: Pick<Space, 'id' | 'key'>, skipped: Skipped[]): Promise<SpacePages> {
  const pages = new Map<string, ListedPage>()
  for await (const part of api.pages(space)) {
    // A page that is moved during the listing may be in two parts.
    for (const page of part) if (pages.has(page.id) || pages.size < maxPages) pages.set(page.id, page)
    onPages(pages.size)
    if (pages.size < maxPages) continue
    skipped.push({ path: site, reason: `the limit of ${countOf(maxPages, 'page')} was reached in the space ${space.key}` })
    break
  }
  return { pages, folders: await foldersOf(api, pages) }
}

/** The folders above pages, which the list of pages does not hold. */
async function foldersOf(api: ConfluenceApi, pages: ReadonlyMap<string, ListedPage>): Promise<SpacePages['folders']> {
  const folders: SpacePages['folders'] = new Map()
  const asked = new Set<string>()
  const waiting = [...pages.values()].flatMap(({ parentId }) => parentId ?? [])
  for (const id of waiting) {
    if (pages.has(id) || asked.has(id) || asked.size >= maxFolders) continue
    asked.add(id)
    const folder = await api.folder(id)
    if (!folder) continue
    folders.set(id, folder)
    if (folder.parentId !== undefined) waiting.push(folder.parentId)
  }
  return folders
}
