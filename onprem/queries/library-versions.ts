import { z } from 'zod'
import { type LibraryId, parseLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'

const count = z.int().min(0)

export const LibraryVersions = z
  .object({
    versions: z.array(
      z.object({
        version: z.string().describe('Empty for the default content'),
        ref: z.string().describe('Tag or branch; empty if it is unknown'),
        commit: z.string().describe('Empty if it is unknown'),
        commitDate: z.iso.datetime().nullable(),
        updatedAt: z.iso.datetime().describe('When it was indexed'),
        snippets: count,
        tokens: count,
        pages: count.optional().describe('Only of the first 20 versions'),
      }),
    ),
  })
  .meta({ id: 'LibraryVersions' })
type LibraryVersions = z.infer<typeof LibraryVersions>

type LibraryVersionsPorts = { catalog: Pick<InstallCatalog, 'find' | 'versions'>; snippets: Pick<SnippetStore, 'pages'> }

/** Pages are counted by reading a column of the content. */
const maxCounted = 20

/** The default content and the versions of a library, as it lists them. Throws library_not_found. */
export async function libraryVersions(ports: LibraryVersionsPorts, { owner, repo }: LibraryId): Promise<LibraryVersions> {
  const library = findLibrary(ports.catalog, { owner, repo })
  const stored = new Map(ports.catalog.versions(parseLibraryId(library.id)).map((each) => [each.version, each]))
  const versions: LibraryVersions['versions'] = []
  for (const name of ['', ...library.versions]) {
    const version = stored.get(name)
    if (!version) continue
    const { ref, commit, commitDate = null, updatedAt, snippets, tokens, generation } = version
    const pages = versions.length < maxCounted ? (await ports.snippets.pages(generation))?.length : undefined
    versions.push({ version: name, ref, commit, commitDate, updatedAt, snippets, tokens, ...(pages !== undefined && { pages }) })
  }
  return { versions }
}
