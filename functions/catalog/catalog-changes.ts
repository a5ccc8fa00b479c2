import { AppError } from '../../shared/errors.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { LibraryFacts, NewVersion, ServedGeneration, SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey, printLibraryId, repositoryTitle, versionName } from '../../shared/library.ts'
import { maxAliases } from '../../shared/search/libraries/library-names.ts'
import { type CatalogVersion, hasContent, type RecordHead, type StoredRecord } from './catalog-record.ts'

export type AddedLibrary = {
  id: LibraryId
  sourceUrl: string
  /** The source if it is no repository, or the branch or tag, and the folder, in the address. A refresh reads them, too. */
  settings?: Pick<SourceSettings, 'source' | 'branch' | 'tree'>
  private: boolean
  teamspace?: string
  /** It is read only with tokens of its teamspace. */
  ownToken?: boolean
}

const maxVersions = 1000
const maxTitleLength = 200
const maxDescriptionLength = 1000
const maxErrorLength = 1000

/** The record of a library before its first parse. */
export function newRecord(
  { id: { owner, repo }, sourceUrl, settings = {}, private: addedPrivate, teamspace, ownToken = false }: AddedLibrary,
  now: Date,
): StoredRecord {
  return {
    key: libraryKey({ owner, repo }),
    id: printLibraryId({ owner, repo }),
    title: repositoryTitle({ owner, repo }),
    description: '',
    branch: '',
    aliases: [],
    stars: -1,
    trust: -1,
    sourceUrl,
    addedFrom: sourceUrl,
    addedPrivate,
    hostPrivate: false,
    ...(teamspace === undefined ? {} : { teamspace }),
    ...(ownToken && { ownToken }),
    state: 'initial',
    addedAt: now.toISOString(),
    settings,
    versions: new Map(),
    revision: 0,
  }
}

/** The record with new facts and versions. Throws library_too_large. */
export function withContent(
  record: StoredRecord,
  facts: LibraryFacts,
  contents: NewVersion[],
  { now, bundleBytes }: { now: Date; bundleBytes(generation: string): number },
): StoredRecord {
  const versions = new Map<string, CatalogVersion>(record.versions)
  const updatedAt = now.toISOString()
  const sizes = new Map([...record.versions.values()].map((each) => [each.generation, each.bundleBytes]))
  for (const each of contents) {
    // A generation that another version shares was measured when it was written.
    const bytes = bundleBytes(each.generation) || (sizes.get(each.generation) ?? 0)
    versions.set(each.version, { ...each, bundleBytes: bytes, updatedAt })
  }
  if (versions.size > maxVersions) {
    throw new AppError(
      'library_too_large',
      `${record.id} would have more than ${maxVersions} versions. Request fewer versions, or list fewer in the project file.`,
    )
  }
  return {
    ...record,
    title: facts.title.slice(0, maxTitleLength),
    description: facts.description.slice(0, maxDescriptionLength),
    branch: facts.branch,
    aliases: facts.aliases.slice(0, maxAliases),
    stars: facts.repository?.stars ?? facts.stars ?? record.stars,
    ...(facts.repository && { repository: facts.repository }),
    sourceUrl: facts.sourceUrl,
    hostPrivate: facts.private,
    settings: facts.settings,
    versions,
  }
}

/** The outcome of a job; `triedFormat` only for a rebuild. */
export type JobEnd = { error?: string; report?: JobReport; triedFormat?: number }

/** The record after a job. A library with content is still served if its last parse failed. */
export function withJobEnd(record: StoredRecord, { error, report, triedFormat }: JobEnd): StoredRecord {
  const { lastError: _, worker: __, ...rest } = record
  if (triedFormat !== undefined) {
    // A rebuild keeps the report and error of the last parse.
    const { worker: ____, ...kept } = record
    return { ...kept, state: 'finalized', triedFormat }
  }
  const state = error === undefined || hasContent(record) ? 'finalized' : 'error'
  const why = error === undefined ? {} : { lastError: error.slice(0, maxErrorLength) }
  if (report === undefined) return { ...rest, ...why, state }
  // Rows for a thousand versions would not fit into the item, and the record has their figures already.
  const { versions: ___, ...figures } = report
  return { ...rest, ...why, state, report: figures }
}

/** The record with a copy in place of a generation. */
export function withCopy(
  record: StoredRecord,
  replaced: string,
  { bundleBytes, ...copy }: Pick<CatalogVersion, 'generation' | 'bundleBytes'> & { format: number },
): StoredRecord {
  const versions = [...record.versions].map(([name, each]): [string, CatalogVersion] => [
    name,
    each.generation === replaced ? { ...each, ...copy, bundleBytes } : each,
  ])
  return { ...record, versions: new Map(versions) }
}

/** The record without the versions that still serve these generations. */
export function withoutServed(record: StoredRecord, removed: readonly ServedGeneration[]): StoredRecord {
  const isRemoved = (name: string, { generation }: CatalogVersion) =>
    removed.some((each) => each.version === name && each.generation === generation)
  return { ...record, versions: new Map([...record.versions].filter(([name, version]) => !isRemoved(name, version))) }
}

/** The record without one version. A refresh does not restore it. */
export function withoutVersion(record: StoredRecord, version: string): StoredRecord {
  const { versions: requested, unwanted = [] } = record.settings
  return {
    ...record,
    versions: new Map([...record.versions].filter(([name]) => name !== version)),
    settings: {
      ...record.settings,
      ...(requested === undefined ? {} : { versions: requested.filter((ref) => versionName(ref) !== version) }),
      unwanted: [...new Set([...unwanted, version])],
    },
  }
}

export const generationsOf = ({ versions }: Pick<RecordHead | StoredRecord, 'versions'>): string[] =>
  [...versions.values()].map(({ generation }) => generation)
