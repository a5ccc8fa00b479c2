import type { Library } from '../library.ts'
import type { SourceType } from './source-types.ts'

/** The facts of a library that policies use. Absent or -1 means unknown. */
export type GovernedLibrary = Pick<Library, 'id' | 'stars' | 'trustScore' | 'lastUpdateDate'> & {
  /** The only teamspace that may see it. */
  privateTo?: string
  /** Absent for a repository. */
  sourceType?: SourceType
  verified?: boolean
  /** SPDX id of the license of its code. */
  codeLicense?: string
  /** Host of a website. */
  domain?: string
  backlinks?: number
  referringDomains?: number
  organicTraffic?: number
}

const publicTypes: ReadonlySet<SourceType> = new Set(['public_repos', 'websites', 'llmstxt'])

export const sourceTypeOf = ({ privateTo, sourceType = 'public_repos' }: GovernedLibrary): SourceType =>
  privateTo !== undefined && publicTypes.has(sourceType) ? 'private_sources' : sourceType

/** Filters apply only to these. */
export const isPublic = (library: GovernedLibrary): boolean => publicTypes.has(sourceTypeOf(library))
