import { type BundleHead, bundleLimits } from '../../shared/bundle/bundle-element.ts'
import { elementFile, type ZippedElement } from '../../shared/bundle/bundle-zip.ts'
import { bundleSize, snippetBytes } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, parseLibraryId, printLibraryId, shownId, withNamedVersion } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { bundleType } from '../../shared/sources/other-source.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { pluralize } from '../../shared/text/figures.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'
import { type InstallCatalog, notInInstall } from '../store/catalog/sqlite-catalog.ts'

export type PlanPorts = {
  catalog: Pick<InstallCatalog, 'find' | 'settings' | 'versions'>
  snippets: Pick<SnippetStore, 'scan'>
}

export type PlannedExport = { elements: ZippedElement[]; generations: string[] }

/** The catalog has no language of the documentation, and an import requires one. */
const language = 'English'

/**
 * The elements of an export: every version of each library, or the version that an id names, none twice. Throws
 * library_not_found, tag_not_found, and payload_too_large or library_too_large for more than an import accepts.
 */
export async function planExport(ports: PlanPorts, libraries: readonly LibraryId[]): Promise<PlannedExport> {
  const chosen = new Map<string, { head: BundleHead; version: StoredVersion }>()
  for (const id of libraries) {
    const library = ports.catalog.find(id)
    if (!library) throw notInInstall(id)
    const type = bundleType(ports.catalog.settings(id).source)
    for (const version of versionsOf(ports, id, library)) {
      const head = headOf(library, type, version)
      chosen.set(head.project, { head, version })
    }
  }
  const limit = bundleLimits.zipEntries - 1
  if (chosen.size > limit) throw tooMany(chosen.size, limit)
  const elements = [...chosen.values()].map(({ head, version }, i) => ({
    file: elementFile(head.project, i + 1),
    source: { head, rows: () => ports.snippets.scan(version.generation) },
  }))
  const snippets = [...chosen.values()].map(({ version }) => version.snippets)
  await rejectTooLarge(elements, snippets)
  return { elements, generations: [...chosen.values()].map(({ version }) => version.generation) }
}

function versionsOf({ catalog }: PlanPorts, id: LibraryId, library: InstallLibrary): StoredVersion[] {
  const stored = catalog.versions(id).filter(({ version }) => version === '' || library.versions.includes(version))
  const names = new Set(stored.map(({ version }) => version))
  const wanted = id.version === undefined ? undefined : withNamedVersion(id, names).version
  const versions = wanted === undefined ? stored : stored.filter(({ version }) => version === wanted)
  if (versions.length > 0) return versions
  const { owner, repo } = id
  const has = library.versions.length > 0 ? `It has ${library.versions.slice(0, 50).join(', ')}.` : 'It has no versions.'
  if (wanted === undefined)
    throw new AppError('tag_not_found', `${shownId({ owner, repo })} has no content yet. Wait for its job, then export it.`)
  throw new AppError('tag_not_found', `${shownId({ owner, repo })} has no version "${excerpt(wanted)}". ${has}`)
}

function headOf(library: InstallLibrary, type: string, stored: StoredVersion): BundleHead {
  const { owner, repo } = parseLibraryId(library.id)
  const { title, description, aliases, stars, trustScore, sourceUrl, versions } = library
  const { version, ref, commit, commitDate, tokens, snippets, rules, updatedAt } = stored
  return {
    project: printLibraryId(version === '' ? { owner, repo } : { owner, repo, version }),
    title,
    description,
    type,
    language,
    branch: ref,
    docsRepoUrl: sourceUrl,
    docsSiteUrl: '',
    totalTokens: tokens,
    totalSnippets: snippets,
    versions,
    commit,
    ...(commitDate !== undefined && { commitDate }),
    lastUpdateDate: commitDate ?? updatedAt,
    rules,
    aliases,
    ...(library.private && { private: true }),
    stars,
    trustScore,
    benchmarkScore: 0,
  }
}

/** Reads all rows once, so that an export that no import would accept ends before its first byte. */
async function rejectTooLarge(elements: readonly ZippedElement[], snippets: readonly number[]): Promise<void> {
  const { elementBytes, elementSnippets, unpackedBytes } = bundleLimits
  let total = 0
  for (const [i, { source }] of elements.entries()) {
    const count = snippets[i] ?? 0
    if (count > elementSnippets) throw elementTooLarge(source.head, pluralize(count, 'snippet'), `${elementSnippets}`)
    let bundleBytes = 0
    let order = 0
    for await (const rows of source.rows()) {
      for (const row of rows) bundleBytes += snippetBytes(row, order++)
      if (bundleBytes > elementBytes) throw elementTooLarge(source.head, `more than ${elementBytes} bytes`, `${elementBytes}`)
    }
    total += bundleSize([{ head: source.head, snippets: order, bundleBytes }])
    if (total > unpackedBytes) throw exportTooLarge(unpackedBytes)
  }
}

const tooMany = (versions: number, limit: number) =>
  new AppError(
    'payload_too_large',
    `These libraries have ${versions} versions; the limit of an export is ${limit}. Export fewer.`,
  )

const elementTooLarge = ({ project }: BundleHead, size: string, limit: string) =>
  new AppError('library_too_large', `${project} has ${size}; an import accepts at most ${limit} of one library.`)

const exportTooLarge = (limit: number) =>
  new AppError(
    'payload_too_large',
    `The export would have more than ${limit} bytes uncompressed, the limit of an import. Export fewer libraries or versions.`,
  )
