import type { Library } from '../library.ts'
import type { SourceType } from './policy.ts'

/** What policies judge a library by. Facts that are absent, or -1, are unknown. */
export type GovernedLibrary = Pick<Library, 'id' | 'stars' | 'trustScore' | 'lastUpdateDate'> & {
  /** The teamspace that alone may see it. */
  privateTo?: string
  /** A public repository where absent. */
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
  privateTo !== undefined ? 'private_sources' : sourceType

/** Filters judge these alone. */
export const isPublic = (library: GovernedLibrary): boolean => publicTypes.has(sourceTypeOf(library))
