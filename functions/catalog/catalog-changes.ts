import { AppError } from '../../shared/errors.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { LibraryFacts, NewVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey, printLibraryId, versionName } from '../../shared/library.ts'
import { maxAliases } from '../../shared/search/libraries/library-names.ts'
import { visible } from '../../shared/text/visible-text.ts'
import { type CatalogVersion, hasContent, type StoredRecord } from './catalog-record.ts'

export type AddedLibrary = {
  id: LibraryId
  sourceUrl: string
  /** The branch or tag in the address that it was added by. A refresh reads it, too. */
  branch?: string
  private: boolean
  teamspace?: string
}

const maxVersions = 1000
const maxTitleLength = 200
const maxDescriptionLength = 1000
const maxErrorLength = 1000

/** A library that has not been parsed yet. */
export function newRecord(
  { id: { owner, repo }, sourceUrl, branch, private: addedPrivate, teamspace }: AddedLibrary,
  now: Date,
): StoredRecord {
  return {
    key: libraryKey({ owner, repo }),
    id: printLibraryId({ owner, repo }),
    title: repo,
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
    state: 'initial',
    addedAt: now.toISOString(),
    settings: branch === undefined ? {} : { branch },
    versions: new Map(),
    revision: 0,
  }
}

/** With new facts and, where there are any, new versions. Throws library_too_large. */
export function withContent(
  record: StoredRecord,
  facts: LibraryFacts,
  contents: NewVersion[],
  { now, bundleBytes }: { now: Date; bundleBytes(generation: string): number },
): StoredRecord {
  const versions = new Map<string, CatalogVersion>(record.versions)
  const updatedAt = now.toISOString()
  const held = new Map([...record.versions.values()].map((each) => [each.generation, each.bundleBytes]))
  for (const each of contents) {
    // What another version shares was measured when it was written.
    const bytes = bundleBytes(each.generation) || (held.get(each.generation) ?? 0)
    versions.set(each.version, { ...each, bundleBytes: bytes, updatedAt })
  }
  if (versions.size > maxVersions) {
    throw new AppError(
      'library_too_large',
      `${record.id} would have more than ${maxVersions} versions. Ask for fewer, or name fewer in its project file.`,
    )
  }
  return {
    ...record,
    title: facts.title.slice(0, maxTitleLength),
    description: facts.description.slice(0, maxDescriptionLength),
    branch: facts.branch,
    aliases: facts.aliases.slice(0, maxAliases),
    stars: facts.stars ?? record.stars,
    sourceUrl: facts.sourceUrl,
    hostPrivate: facts.private,
    settings: facts.settings,
    versions,
  }
}

/** How a job ended; `triedFormat` if it was a rebuild. */
export type JobEnd = { error?: string; report?: JobReport; triedFormat?: number }

/** As a job leaves it: what has content goes on being served, however its last parse ended. */
export function withJobEnd(record: StoredRecord, { error, report, triedFormat }: JobEnd): StoredRecord {
  const { lastError: _, worker: __, ...rest } = record
  if (triedFormat !== undefined) {
    // The report and error of the last parse are kept.
    const { worker: ____, ...kept } = record
    return { ...kept, state: 'finalized', triedFormat }
  }
  const state = error === undefined || hasContent(record) ? 'finalized' : 'error'
  const why = error === undefined ? {} : { lastError: error.slice(0, maxErrorLength) }
  if (report === undefined) return { ...rest, ...why, state }
  // A row for each of a thousand versions would leave their item no room; the record has their figures anyway.
  const { versions: ___, ...figures } = report
  return { ...rest, ...why, state, report: figures }
}

/** With a copy of a generation in its place. */
export function withCopy(
  record: StoredRecord,
  replaced: string,
  { bundleBytes, ...copy }: Pick<CatalogVersion, 'generation' | 'bundleBytes'> & { format: number },
): StoredRecord {
  const versions = [...record.versions].map(([name, each]): [string, CatalogVersion] => [
    name,
    each.generation === replaced ? { ...each, ...copy, bundleBytes, rules: visible(each.rules) } : each,
  ])
  return { ...record, versions: new Map(versions) }
}

/** Without one version, which a refresh does not bring back. */
export function withoutVersion(record: StoredRecord, version: string): StoredRecord {
  const { versions: asked, unwanted = [] } = record.settings
  return {
    ...record,
    versions: new Map([...record.versions].filter(([name]) => name !== version)),
    settings: {
      ...record.settings,
      ...(asked === undefined ? {} : { versions: asked.filter((ref) => versionName(ref) !== version) }),
      unwanted: [...new Set([...unwanted, version])],
    },
  }
}

export const generationsOf = ({ versions }: Pick<StoredRecord, 'versions'>): string[] =>
  Array.from(versions.values(), ({ generation }) => generation)
