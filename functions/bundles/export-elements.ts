import { createHash } from 'node:crypto'
import { type BundleHead, bundleFormatVersion } from '../../shared/bundle/bundle-element.ts'
import { type BundleSource, bundleSize } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId, shownId, withNamedVersion } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import type { Exportable, ExportVersion } from '../catalog/exportable.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'

export type ExportCatalog = Pick<HostedCatalog, 'exportable'>
export type ExportsCatalog = Pick<HostedCatalog, 'exportables'>

/** One element of a bundle before its snippets are read. `id` has the version, unless it is the default content. */
export type ExportElement = { id: LibraryId; head: BundleHead; generation: string; snippets: number; bundleBytes: number }

/**
 * One element per version of a library, or only the version that the id pins. Throws library_not_found if the library is unknown,
 * private or without content, and tag_not_found.
 */
export async function exportElements(catalog: ExportCatalog, id: LibraryId): Promise<ExportElement[]> {
  return elementsOf(id, await catalog.exportable(id))
}

/** The elements of each of several libraries, in their order, read together. Undefined for one that `exportElements` would not find. */
export async function exportElementsOfEach(catalog: ExportsCatalog, ids: LibraryId[]): Promise<(ExportElement[] | undefined)[]> {
  const libraries = await catalog.exportables(ids.map(libraryKey))
  return ids.map((id) => elementsIfAny(id, libraries.get(libraryKey(id))))
}

function elementsIfAny(id: LibraryId, library: Exportable | undefined): ExportElement[] | undefined {
  try {
    return elementsOf(id, library)
  } catch (error) {
    if (error instanceof AppError && ['library_not_found', 'tag_not_found'].includes(error.code)) return undefined
    throw error
  }
}

function elementsOf(id: LibraryId, library: Exportable | undefined): ExportElement[] {
  if (library === undefined || library.private || library.versions.length === 0) throw notFound(id)
  const wanted = withNamedVersion(id, new Set(library.versions.map(({ version }) => version ?? ''))).version
  const requested = library.versions.filter(({ version }) => wanted === undefined || version === wanted)
  if (requested.length === 0) throw noSuchTag(id, tagsOf(library))
  return requested.map((version) => elementOf(library, version))
}

/** Reads the snippets when the bundle is written. */
export const sourceOf = (snippets: Pick<SnippetStore, 'scan'>, { head, generation }: ExportElement): BundleSource => ({
  head,
  rows: () => snippets.scan(generation),
})

/** The key of an export in the bucket, and the id of its build. Both are equal for equal content. */
export function exportFile(elements: ExportElement[]): { key: string; buildId: string } {
  const hash = contentHash(elements)
  return { key: `exports/${hash}.json`, buildId: `export-${hash}` }
}

/** Equal for equal bundles, because generations never change. */
const contentHash = (elements: ExportElement[]): string =>
  createHash('sha256')
    .update(JSON.stringify([bundleFormatVersion, elements.map(({ head, generation }) => [head, generation])]))
    .digest('hex')

export const sizeOf = (elements: ExportElement[]): number => bundleSize(elements)

function elementOf(
  library: Exportable,
  { version, generation, snippets, tokens, bundleBytes, ...facts }: ExportVersion,
): ExportElement {
  const { owner, repo } = library.id
  const { title, description, type, docsRepoUrl, docsSiteUrl, aliases, stars, trustScore, benchmarkScore } = library.facts
  const { language, branch, commit, commitDate, lastUpdateDate, rules } = facts
  const id = version === undefined ? { owner, repo } : { owner, repo, version }
  const head = {
    project: printLibraryId(id),
    title,
    description,
    type,
    language,
    branch,
    docsRepoUrl,
    docsSiteUrl,
    totalTokens: tokens,
    totalSnippets: snippets,
    versions: tagsOf(library),
    commit,
    ...(commitDate !== undefined && { commitDate }),
    lastUpdateDate,
    rules,
    aliases,
    stars,
    trustScore,
    benchmarkScore,
  }
  return { id, head, generation, snippets, bundleBytes }
}

const tagsOf = ({ versions }: Exportable): string[] => versions.flatMap(({ version }) => version ?? [])

const notFound = (id: LibraryId) =>
  new AppError('library_not_found', `There is no public library ${shownId(id)} to export. Search for its id, or add it first.`)

function noSuchTag(id: LibraryId, tags: string[]): AppError {
  const { owner, repo } = id
  const existing = tags.length > 0 ? `It has ${tags.slice(0, 50).join(', ')}.` : 'It has no versions.'
  return new AppError('tag_not_found', `${shownId({ owner, repo })} has no version "${excerpt(id.version ?? '')}". ${existing}`)
}
