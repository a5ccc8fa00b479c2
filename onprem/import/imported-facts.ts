import type { BundleHead } from '../../shared/bundle/bundle-element.ts'
import type { LibraryFacts } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, printLibraryId, repositoryDescription, repositoryTitle } from '../../shared/library.ts'
import { mayInstruct } from '../../shared/screening/flag-text.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'

/** The install's own rule for flagged snippets outlives an import; other settings say how to fetch the library. */
function keptSettings(catalog: Pick<InstallCatalog, 'settings'>, id: LibraryId): LibraryFacts['settings'] {
  const { flagged } = catalog.settings(id)
  return flagged ? { flagged } : {}
}

/** Empty for a text that may instruct agents, to which lists of libraries have no warning. */
const served = (text: string): string => (mayInstruct(text) ? '' : text)

/**
 * The facts of a library after an import of it or of one version. A version next to default content does not change them, except that the
 * library is marked as imported if the version `replaces` another: it is no longer fetched. A new version leaves a parsed library refreshable.
 */
export function importedFacts(
  catalog: Pick<InstallCatalog, 'find' | 'settings' | 'versions'>,
  id: LibraryId,
  head: BundleHead,
  replaces: boolean,
): LibraryFacts {
  const library = catalog.find(id)
  const hasDefault = catalog.versions(id).some(({ version }) => version === '')
  if (library && hasDefault && id.version !== undefined) {
    const { title, description, branch, sourceUrl, aliases } = library
    const imported = library.imported || replaces
    const facts = {
      id: library.id,
      title,
      description,
      branch,
      sourceUrl,
      private: library.private || head.private === true,
      aliases,
    }
    return { ...facts, settings: imported ? keptSettings(catalog, id) : catalog.settings(id), imported }
  }
  const { owner, repo } = id
  return {
    id: printLibraryId({ owner, repo }),
    title: served(head.title) || repositoryTitle(id),
    description: served(head.description) || repositoryDescription(id),
    branch: head.branch,
    sourceUrl: [head.docsRepoUrl, head.docsSiteUrl].find((url) => /^https?:\/\//i.test(url)) ?? '',
    private: head.private === true,
    aliases: head.aliases,
    settings: keptSettings(catalog, id),
    stars: head.stars,
    imported: true,
  }
}
