import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { wholeNumberOr } from '../../schemas/whole-number.ts'
import { flaggedRules } from '../../snippet.ts'
import type { Catalog } from '../libraries/catalog.ts'
import type { SnippetStore } from '../rows/snippet-store.ts'
import { isWithheld } from '../withheld.ts'
import { idOf, type LibraryInPath, ListedSnippet, listed, Version } from './list-pages.ts'
import { pageName } from './served-pages.ts'

export const FlaggedQuery = z.object({
  version: Version,
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})

export const FlaggedList = z
  .object({
    rule: z.enum(flaggedRules).describe('What answers do with flagged passages of this library'),
    passages: z.array(
      ListedSnippet.extend({
        path: z.string().describe('The path of the page'),
        withheld: z.boolean().describe('Answers leave it out'),
      }),
    ),
    total: z.int(),
    page: z.int(),
    pageSize: z.int(),
  })
  .meta({ id: 'FlaggedPassages' })

type FlaggedPorts = { catalog: Pick<Catalog, 'served'>; snippets: Pick<SnippetStore, 'flagged'> }

/** The passages of a library that may attack agents, with their reasons. Throws library_not_found, tag_not_found, not_found. */
export async function listFlagged(
  { catalog, snippets }: FlaggedPorts,
  library: z.infer<typeof LibraryInPath>,
  { version, page, pageSize }: z.infer<typeof FlaggedQuery>,
): Promise<z.infer<typeof FlaggedList>> {
  const served = await catalog.served(idOf(library, version))
  const found = await snippets.flagged(served.generation, { offset: (page - 1) * pageSize, limit: pageSize })
  if (!found) throw new AppError('not_found', 'This content was replaced or removed while it was being read. Ask again.')
  const passages = found.snippets.map((snippet) => ({
    ...listed(snippet),
    path: pageName({ path: snippet.includedBy ?? snippet.path, page: snippet.page }),
    withheld: isWithheld(snippet, served.flagged),
  }))
  return { rule: served.flagged ?? 'mark', passages, total: found.total, page, pageSize }
}
