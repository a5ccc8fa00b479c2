import type { BundleHead } from '../../shared/bundle/bundle-element.ts'
import { type LibraryId, parseLibraryId } from '../../shared/library.ts'
import { bundleType } from '../../shared/sources/other-source.ts'
import type { LibraryRecord } from './catalog-record.ts'

/** The facts of a library that are the same for each of its versions. */
export type ExportFacts = Pick<
  BundleHead,
  'title' | 'description' | 'type' | 'docsRepoUrl' | 'docsSiteUrl' | 'aliases' | 'stars' | 'trustScore' | 'benchmarkScore'
>

export type ExportVersion = Pick<BundleHead, 'language' | 'branch' | 'commit' | 'commitDate' | 'lastUpdateDate' | 'rules'> & {
  /** The version; undefined for the default content. */
  version: string | undefined
  generation: string
  snippets: number
  tokens: number
  /** Sum of `snippetBytes` over its rows, from `measuredStore`. */
  bundleBytes: number
}

/** A library with all versions that are served. `id` has the catalog's spelling. */
export type Exportable = { id: LibraryId; private: boolean; facts: ExportFacts; versions: ExportVersion[] }

/** The language of content that has none. */
const defaultLanguage = 'English'

export function exportable({ library, settings, versions }: LibraryRecord): Exportable {
  const { id, title, description, aliases, stars, trustScore, benchmarkScore, sourceUrl } = library
  return {
    id: parseLibraryId(id),
    private: library.private,
    facts: {
      title,
      description,
      type: bundleType(settings.source),
      docsRepoUrl: sourceUrl,
      docsSiteUrl: '',
      aliases,
      stars,
      trustScore,
      benchmarkScore,
    },
    versions: Array.from(versions.values(), ({ version, ref, generation, commit, tokens, snippets, ...rest }) => ({
      version: version === '' ? undefined : version,
      generation,
      snippets,
      tokens,
      bundleBytes: rest.bundleBytes,
      language: rest.language ?? versions.get('')?.language ?? defaultLanguage,
      branch: ref,
      commit,
      ...(rest.commitDate !== undefined && { commitDate: rest.commitDate }),
      lastUpdateDate: rest.commitDate ?? rest.updatedAt,
      rules: rest.rules,
    })),
  }
}
