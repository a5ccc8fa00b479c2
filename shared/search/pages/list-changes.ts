import { hash } from 'node:crypto'
import { z } from 'zod'
import { wholeNumberOr } from '../../schemas/whole-number.ts'
import type { SnippetStore, StoredPage } from '../rows/snippet-store.ts'
import { idOf, type LibraryInPath } from './list-pages.ts'
import { readingOrder } from './reading-order.ts'
import { type PagesPorts, pageName, servedPages } from './served-pages.ts'

const Version = z.string().min(1).max(200).optional()

export const ChangesQuery = z.object({
  from: Version.describe('The older version; the default content if absent'),
  to: Version.describe('The newer version; the default content if absent'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(1000, 1, 1000),
})

const count = z.int()
const ChangedPage = z.object({ path: z.string(), title: z.string(), change: z.enum(['added', 'removed', 'changed']) })

export const ChangeList = z
  .object({
    changes: z.array(ChangedPage).describe('In reading order, removed pages last'),
    added: count,
    removed: count,
    changed: count,
    unchanged: count,
    total: count.describe('Pages that were added, removed or changed'),
    page: z.int(),
    pageSize: z.int(),
  })
  .meta({ id: 'ChangeList' })

export type ChangesPorts = PagesPorts & { snippets: Pick<SnippetStore, 'scan'> }

/** The pages that differ between two versions of a library, by their paths. Throws library_not_found, tag_not_found, not_found. */
export async function listChanges(
  ports: ChangesPorts,
  library: z.infer<typeof LibraryInPath>,
  { from, to, page, pageSize }: z.infer<typeof ChangesQuery>,
  signal: AbortSignal,
): Promise<z.infer<typeof ChangeList>> {
  const older = await digestsOf(ports, idOf(library, from), signal)
  const newer = await digestsOf(ports, idOf(library, to), signal)
  const changes: z.infer<typeof ChangedPage>[] = []
  let unchanged = 0
  for (const [path, { title, digest }] of newer) {
    const before = older.get(path)
    if (before?.digest === digest) unchanged++
    else changes.push({ path, title, change: before ? 'changed' : 'added' })
  }
  for (const [path, { title }] of older) if (!newer.has(path)) changes.push({ path, title, change: 'removed' })
  const sum = (change: string) => changes.filter((each) => each.change === change).length
  return {
    changes: changes.slice((page - 1) * pageSize, page * pageSize),
    ...{ added: sum('added'), removed: sum('removed'), changed: sum('changed'), unchanged },
    ...{ total: changes.length, page, pageSize },
  }
}

type Digests = Map<string, { title: string; digest: string }>

/** A generation never changes, so its digests are kept as long as its list of pages. */
const cached = new WeakMap<readonly StoredPage[], Digests>()

async function digestsOf(ports: ChangesPorts, id: Parameters<typeof servedPages>[1], signal: AbortSignal): Promise<Digests> {
  const { served, pages } = await servedPages(ports, id)
  const known = cached.get(pages)
  if (known) return known
  const digests = new Map<number, string>()
  for await (const snippets of ports.snippets.scan(served.generation)) {
    signal.throwIfAborted()
    for (const { page, breadcrumb, hash: content } of snippets)
      digests.set(page, hash('sha256', [digests.get(page), ...breadcrumb, content].join('\n'), 'base64url'))
  }
  const ordered = readingOrder(pages).map(
    (page) => [pageName(page), { title: page.title, digest: digests.get(page.page) ?? '' }] as const,
  )
  const result = new Map(ordered)
  cached.set(pages, result)
  return result
}
