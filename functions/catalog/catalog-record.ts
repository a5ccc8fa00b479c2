import { AppError } from '../../shared/errors.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { SourceSettings, StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryState, shownId } from '../../shared/library.ts'
import type { ListedLibrary } from '../../shared/search/catalog.ts'

/** A library as the hosted half lists it. */
export type HostedLibrary = ListedLibrary & {
  private: boolean
  /** The teamspace that owns it. */
  teamspace?: string
  /** Address of its repository. */
  sourceUrl: string
}

export type CatalogVersion = StoredVersion & {
  rules: string[]
  /** What its snippets take in a bundle. */
  bundleBytes: number
}

/** What the catalog keeps of a library: one item, so that a publish is one write. */
export type StoredRecord = {
  key: string
  /** As it was written first. */
  id: string
  title: string
  description: string
  branch: string
  aliases: string[]
  /** -1 where unknown, as is `trust`. */
  stars: number
  trust: number
  sourceUrl: string
  /** The address that it was added by; its repository may have moved since. */
  addedFrom: string
  /** That it was added as private. */
  addedPrivate: boolean
  /** That its host gives it to nobody without a token. */
  hostPrivate: boolean
  teamspace?: string
  state: LibraryState
  addedAt: string
  /** Why the last parse failed; absent once one has passed. */
  lastError?: string
  report?: JobReport
  settings: SourceSettings
  /** By name; '' is the default content. */
  versions: ReadonlyMap<string, CatalogVersion>
  /** The newest format that a rebuild has been tried in. */
  triedFormat?: number
  /** The worker that alone may publish. */
  worker?: string
  /** Counts the writes. */
  revision: number
}

export type CatalogRecord = StoredRecord & { library: HostedLibrary }

const maxReportedTags = 100

export const catalogRecord = (stored: StoredRecord): CatalogRecord => ({ ...stored, library: toListed(stored) })

export const hasContent = ({ versions }: Pick<StoredRecord, 'versions'>): boolean => versions.size > 0

/** What a search knows of a library. */
function toListed(stored: StoredRecord): HostedLibrary {
  const { id, title, description, branch, aliases, stars, trust, sourceUrl, state, teamspace, versions } = stored
  const served = versions.get('')
  const isPrivate = stored.addedPrivate || stored.hostPrivate
  return {
    id,
    title,
    description,
    branch,
    lastUpdateDate: served?.updatedAt ?? stored.addedAt,
    state,
    totalTokens: served?.tokens ?? 0,
    totalSnippets: served?.snippets ?? 0,
    codeSnippets: served ? served.codeSnippets : 0,
    stars,
    trustScore: trust,
    benchmarkScore: 0,
    versions: tagsOf(stored),
    source: isPrivate ? `${hostName(sourceUrl)} (Private)` : hostName(sourceUrl),
    aliases,
    private: isPrivate,
    ...(isPrivate ? { privateTo: teamspace ?? '' } : {}),
    ...(teamspace === undefined ? {} : { teamspace }),
    sourceUrl,
  }
}

/** An error that lists the versions that the library has. */
export function unknownVersion(record: CatalogRecord, version: string | undefined): AppError {
  const tags = tagsOf(record)
  const more = tags.length > maxReportedTags ? ` and ${tags.length - maxReportedTags} more` : ''
  const there =
    tags.length > 0
      ? `There are: ${tags.slice(0, maxReportedTags).join(', ')}${more}.`
      : 'It has no versions beside its default content.'
  if (version === undefined) return new AppError('tag_not_found', `${record.id} has no default content. ${there}`)
  const asked = shownId({ owner: '', repo: '', version }).slice('//@'.length)
  const without = record.versions.has('') ? ' Leave the version out for the default content.' : ''
  return new AppError('tag_not_found', `${record.id} has no version "${asked}". ${there}${without}`)
}

const tagsOf = ({ versions }: Pick<StoredRecord, 'versions'>): string[] =>
  [...versions.keys()].filter((name) => name !== '').sort()

/** As people call the host of an address. */
function hostName(sourceUrl: string): string {
  const host = URL.parse(sourceUrl)?.hostname ?? ''
  if (host.includes('gitlab')) return 'GitLab'
  return host.includes('github') ? 'GitHub' : 'Git'
}
