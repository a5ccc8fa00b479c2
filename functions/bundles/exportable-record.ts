import { parseLibraryId } from '../../shared/library.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { Exportable } from './exportable.ts'

/** What bundles say of content whose language is not known. */
const usualLanguage = 'English'

/** What a bundle says of a library. */
export function exportableRecord({ library, versions }: CatalogRecord): Exportable {
  const { id, title, description, aliases, stars, trustScore, benchmarkScore, sourceUrl } = library
  return {
    id: parseLibraryId(id),
    private: library.private,
    facts: {
      title,
      description,
      type: 'repo',
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
      language: rest.language ?? versions.get('')?.language ?? usualLanguage,
      branch: ref,
      commit,
      lastUpdateDate: rest.updatedAt,
      rules: rest.rules,
    })),
  }
}
