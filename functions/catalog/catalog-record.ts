import { createHash } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { SourceSettings, StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryState, shownId } from '../../shared/library.ts'
import type { GovernedLibrary } from '../../shared/policy/governed-library.ts'
import type { SourceType } from '../../shared/policy/source-types.ts'
import type { RepositoryState } from '../../shared/reading/git/repository-facts.ts'
import type { ListedLibrary } from '../../shared/search/libraries/catalog.ts'
import type { OtherSource } from '../../shared/sources/other-source.ts'

/** A library as the hosted half lists it. */
export type HostedLibrary = ListedLibrary &
  Pick<GovernedLibrary, 'sourceType' | 'domain'> & {
    private: boolean
    /** The id of the teamspace that owns it. */
    teamspace?: string
    /** Address of its repository or other source. */
    sourceUrl: string
  }

export type CatalogVersion = StoredVersion & {
  rules: string[]
  /** Size of its snippets in a bundle. */
  bundleBytes: number
}

/** The part of a version that a question needs. */
export type VersionHead = Pick<StoredVersion, 'version' | 'ref' | 'generation' | 'commitDate' | 'format'> & {
  /** The id of its rules; absent if it has none. */
  rulesId?: string
}

/** A record as questions read it: one small item. Its details are in items of their own. */
export type RecordHead = Omit<StoredRecord, 'versions' | 'report'> & {
  versions: ReadonlyMap<string, VersionHead>
  /** The figures of the default content. */
  served?: Pick<CatalogVersion, 'tokens' | 'snippets' | 'codeSnippets' | 'updatedAt'>
}

/** The catalog's whole record of a library. A publish is one write of its head, which names the details. */
export type StoredRecord = {
  key: string
  /** The id in the spelling of the first request. */
  id: string
  title: string
  description: string
  branch: string
  aliases: string[]
  /** -1 if unknown; the same for `trust`. */
  stars: number
  trust: number
  sourceUrl: string
  /** Facts of its repository; absent until its host has told them. */
  repository?: RepositoryState
  /** The address that it was added from. The repository may have moved since. */
  addedFrom: string
  addedPrivate: boolean
  /** Its host requires a token. */
  hostPrivate: boolean
  teamspace?: string
  /** It is read only with the tokens of its teamspace, never with those of the service. */
  ownToken?: boolean
  state: LibraryState
  addedAt: string
  /** The reason of the last failure; absent if the last parse succeeded. */
  lastError?: string
  report?: JobReport
  settings: SourceSettings
  /** Versions by name; '' is the default content. */
  versions: ReadonlyMap<string, CatalogVersion>
  /** The newest format that a rebuild has been tried in. */
  triedFormat?: number
  /** The only worker that may publish. */
  worker?: string
  /** Number of writes. */
  revision: number
}

export type CatalogRecord = RecordHead & { library: HostedLibrary }
export type LibraryRecord = StoredRecord & { library: HostedLibrary }

const maxReportedTags = 100

export const catalogRecord = (head: RecordHead): CatalogRecord => ({ ...head, library: toListed(head) })

export function headOf({ versions, report: _, ...record }: StoredRecord): RecordHead {
  const current = versions.get('')
  return {
    ...record,
    versions: new Map(Array.from(versions, ([name, version]) => [name, versionHead(version)])),
    ...(current && {
      served: {
        tokens: current.tokens,
        snippets: current.snippets,
        codeSnippets: current.codeSnippets,
        updatedAt: current.updatedAt,
      },
    }),
  }
}

const versionHead = ({ version, ref, generation, commitDate, format, rules }: CatalogVersion): VersionHead => ({
  version,
  ref,
  generation,
  format,
  ...(commitDate !== undefined && { commitDate }),
  ...(rules.length > 0 && { rulesId: rulesId(rules) }),
})

/** Equal for equal rules, so that versions share them. */
export const rulesId = (rules: string[]): string =>
  createHash('sha256').update(JSON.stringify(rules)).digest('base64url').slice(0, 16)

export const hasContent = ({ versions }: Pick<RecordHead | StoredRecord, 'versions'>): boolean => versions.size > 0

function toListed(stored: RecordHead): HostedLibrary {
  const { id, title, description, branch, aliases, stars, trust, sourceUrl, state, teamspace, versions, served } = stored
  const current = versions.get('')
  const isPrivate = stored.addedPrivate || stored.hostPrivate
  return {
    id,
    title,
    description,
    branch,
    ...(current?.ref && { version: current.ref }),
    ...(current?.commitDate && { commitDate: current.commitDate }),
    lastUpdateDate: current?.commitDate ?? served?.updatedAt ?? stored.addedAt,
    state,
    totalTokens: served?.tokens ?? 0,
    totalSnippets: served?.snippets ?? 0,
    codeSnippets: served?.codeSnippets ?? 0,
    stars,
    ...(stored.repository?.license && { codeLicense: stored.repository.license }),
    ...(stored.repository?.movedTo && { movedTo: stored.repository.movedTo }),
    trustScore: trust,
    benchmarkScore: 0,
    versions: tagsOf(stored),
    source: isPrivate ? `${sourceName(stored)} (Private)` : sourceName(stored),
    ...governedFacts(stored),
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
  const existing =
    tags.length > 0
      ? `Its versions: ${tags.slice(0, maxReportedTags).join(', ')}${more}.`
      : 'It has no versions besides its default content.'
  if (version === undefined) return new AppError('tag_not_found', `${record.id} has no default content. ${existing}`)
  const requested = shownId({ owner: '', repo: '', version }).slice('//@'.length)
  const advice = record.versions.has('') ? ' Omit the version for the default content.' : ''
  return new AppError('tag_not_found', `${record.id} has no version "${requested}". ${existing}${advice}`)
}

const tagsOf = ({ versions }: Pick<RecordHead, 'versions'>): string[] => [...versions.keys()].filter((name) => name !== '').sort()

function sourceName({ sourceUrl, settings }: Pick<RecordHead, 'sourceUrl' | 'settings'>): string {
  if (settings.source) return sourceNames[settings.source.kind]
  const host = URL.parse(sourceUrl)?.hostname ?? ''
  if (host.includes('gitlab')) return 'GitLab'
  return host.includes('github') ? 'GitHub' : 'Git'
}

const sourceNames: Record<OtherSource['kind'], string> = {
  website: 'Website',
  llmstxt: 'llms.txt',
  openapi: 'OpenAPI',
  confluence: 'Confluence',
  'openapi-upload': 'Upload',
  files: 'Upload',
}

const sourceTypes: Record<OtherSource['kind'], SourceType> = {
  website: 'websites',
  llmstxt: 'llmstxt',
  openapi: 'websites',
  confluence: 'confluence',
  'openapi-upload': 'uploaded_files',
  files: 'uploaded_files',
}

/** The facts of a source that is no repository that policies check. */
function governedFacts({ settings: { source } }: Pick<RecordHead, 'settings'>): Pick<GovernedLibrary, 'sourceType' | 'domain'> {
  if (!source) return {}
  const { protocol, hostname } = new URL(source.url)
  return { sourceType: sourceTypes[source.kind], ...(protocol !== 'upload:' && { domain: hostname }) }
}
