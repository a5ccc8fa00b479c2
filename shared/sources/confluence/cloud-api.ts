import { z } from 'zod'
import { visibleText } from '../../text/visible-text.ts'
import {
  type ConfluenceApi,
  ContentId,
  type ListedPage,
  listGuard,
  pageUrl,
  type QueryValues,
  query,
  shown,
} from './confluence-api.ts'
import type { ConfluenceRequests } from './confluence-requests.ts'

const Links = z.object({ next: z.string().optional(), base: z.string().optional() }).optional()
const Row = z.object({
  id: ContentId,
  status: z.string(),
  title: z.string(),
  spaceId: ContentId,
  parentId: ContentId.nullish(),
  version: z.object({ number: z.int(), createdAt: z.string().optional() }),
  _links: z.object({ webui: z.string().optional(), base: z.string().optional() }).optional(),
})
const Rows = z.object({ results: z.array(Row), _links: Links })
const Spaces = z.object({
  results: z.array(
    z.object({
      id: ContentId,
      key: z.string(),
      name: z.string(),
      description: z.object({ plain: z.object({ value: z.string() }).optional() }).nullish(),
    }),
  ),
})
const Folder = z.object({ title: z.string(), parentId: ContentId.nullish() })
const Body = z.object({ status: z.string(), body: z.object({ storage: z.object({ value: z.string() }) }) })
const OneSpace = z.object({ id: ContentId, key: z.string() })

const partSize = 250

/** The REST API v2 of Confluence Cloud. */
export function cloudApi({ site, get }: ConfluenceRequests): ConfluenceApi {
  const { host } = new URL(site)
  const listed = (row: z.infer<typeof Row>, base: string | undefined): ListedPage => ({
    id: row.id,
    version: row.version.number,
    title: visibleText(row.title),
    parentId: row.parentId ?? undefined,
    changedAt: row.version.createdAt,
    url: pageUrl(site, row._links?.base ?? base, row._links?.webui, row.id),
  })
  const space = async (key: string) => {
    const { results } = await get(`/api/v2/spaces?${query({ keys: key, 'description-format': 'plain', limit: 25 })}`, Spaces)
    const own = results.find((each) => each.key.toLowerCase() === key.toLowerCase())
    return (
      own && {
        id: own.id,
        key: own.key,
        name: visibleText(own.name),
        description: visibleText(own.description?.plain?.value ?? ''),
      }
    )
  }
  const ofTitle = async (key: string, title: string) => {
    const place = await space(key)
    if (!place) return undefined
    const wanted = { 'space-id': place.id, title, status: 'current', limit: 1 }
    const { results, _links } = await get(`/api/v2/pages?${query(wanted)}`, Rows)
    return results[0] && { ...listed(results[0], _links?.base), space: place }
  }
  return {
    space,
    async *pages({ id }) {
      const guard = listGuard(host)
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        guard(cursor)
        const wanted: QueryValues = { 'space-id': id, status: 'current', limit: partSize, ...(cursor !== '' && { cursor }) }
        const { results, _links }: z.infer<typeof Rows> = await get(`/api/v2/pages?${query(wanted)}`, Rows)
        yield results.filter(({ status }) => status === 'current').map((row) => listed(row, _links?.base))
        // Only the cursor of the address is used, so no list leads to another host.
        cursor = URL.parse(_links?.next ?? '', site)?.searchParams.get('cursor') ?? undefined
      }
    },
    find: (page) =>
      shown(async () => {
        if ('title' in page) return ofTitle(page.spaceKey, page.title)
        const row = await get(`/api/v2/pages/${page.id}`, Row)
        if (row.status !== 'current') return undefined
        return { ...listed(row, undefined), space: await get(`/api/v2/spaces/${row.spaceId}`, OneSpace) }
      }),
    folder: (id) =>
      shown(async () => {
        const { title, parentId } = await get(`/api/v2/folders/${id}`, Folder)
        return { title: visibleText(title), parentId: parentId ?? undefined }
      }),
    async body(id) {
      const { status, body } = await get(`/api/v2/pages/${id}?body-format=storage`, Body)
      return { storage: body.storage.value, isCurrent: status === 'current' }
    },
  }
}
