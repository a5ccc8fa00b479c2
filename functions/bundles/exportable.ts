import { createHash } from 'node:crypto'
import { type BundleHead, bundleFormatVersion } from '../../shared/bundle/bundle.ts'
import { type BundleSource, bundleSize } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, parseLibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'

/** What an export says of a library, whatever the version. */
export type ExportFacts = Pick<
  BundleHead,
  'title' | 'description' | 'type' | 'docsRepoUrl' | 'docsSiteUrl' | 'aliases' | 'stars' | 'trustScore' | 'benchmarkScore'
>

export type ExportVersion = Pick<BundleHead, 'language' | 'branch' | 'commit' | 'lastUpdateDate' | 'rules'> & {
  /** Undefined for the default content. */
  version: string | undefined
  generation: string
  snippets: number
  tokens: number
  /** Sum of `snippetBytes` over its rows, as `measuredStore` counts it. */
  bundleBytes: number
}

/** One library with all versions that are served. `id` is spelled as the catalog spells it. */
export type Exportable = { id: LibraryId; private: boolean; facts: ExportFacts; versions: ExportVersion[] }

export type ExportCatalog = {
  /** Undefined for an unknown library. The version of the id is not looked at. */
  exportable(id: LibraryId): Promise<Exportable | undefined>
}

/** One element of a bundle before its snippets are read. */
export type ExportElement = { head: BundleHead; generation: string; snippets: number; bundleBytes: number }

/** Reads `owner/repo` as people write it, with or without the leading slash. Throws invalid_library_id, validation_error. */
export const readLibrary = (text: string): LibraryId => parseLibraryId(text.startsWith('/') ? text : `/${text}`)

/**
 * The elements that an id asks for: of a library all its versions, of a pinned version that one. Throws library_not_found for what is
 * unknown, private or without content, tag_not_found.
 */
export async function elementsOf(catalog: ExportCatalog, id: LibraryId): Promise<ExportElement[]> {
  const found = await catalog.exportable(id)
  if (found === undefined || found.private || found.versions.length === 0) throw notFound(id)
  const asked = found.versions.filter(({ version }) => id.version === undefined || version === id.version)
  if (asked.length === 0) throw noSuchTag(id, tagsOf(found))
  return asked.map((version) => elementOf(found, version))
}

/** The snippets are read when the bundle is written. */
export const sourceOf = (snippets: Pick<SnippetStore, 'scan'>, { head, generation }: ExportElement): BundleSource => ({
  head,
  rows: () => snippets.scan(generation),
})

/** Equal for equal bundles: generations never change. */
export const contentHash = (elements: ExportElement[]): string =>
  createHash('sha256')
    .update(JSON.stringify([bundleFormatVersion, elements.map(({ head, generation }) => [head, generation])]))
    .digest('hex')

export const sizeOf = (elements: ExportElement[]): number => bundleSize(elements)

function elementOf(
  found: Exportable,
  { version, generation, snippets, tokens, bundleBytes, ...facts }: ExportVersion,
): ExportElement {
  const { owner, repo } = found.id
  const { title, description, type, docsRepoUrl, docsSiteUrl, aliases, stars, trustScore, benchmarkScore } = found.facts
  const { language, branch, commit, lastUpdateDate, rules } = facts
  const head = {
    project: printLibraryId(version === undefined ? { owner, repo } : { owner, repo, version }),
    title,
    description,
    type,
    language,
    branch,
    docsRepoUrl,
    docsSiteUrl,
    totalTokens: tokens,
    totalSnippets: snippets,
    versions: tagsOf(found),
    commit,
    lastUpdateDate,
    rules,
    aliases,
    stars,
    trustScore,
    benchmarkScore,
  }
  return { head, generation, snippets, bundleBytes }
}

const tagsOf = ({ versions }: Exportable): string[] => versions.flatMap(({ version }) => version ?? [])

const notFound = (id: LibraryId) =>
  new AppError('library_not_found', `There is no public library ${shownId(id)} to export. Search for its id, or add it first.`)

function noSuchTag(id: LibraryId, tags: string[]): AppError {
  const { owner, repo } = id
  const there = tags.length > 0 ? `It has ${tags.slice(0, 50).join(', ')}.` : 'It has no versions.'
  return new AppError('tag_not_found', `${shownId({ owner, repo })} has no version "${id.version?.slice(0, 100)}". ${there}`)
}
