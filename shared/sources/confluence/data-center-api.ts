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

const Row = z.object({
  id: ContentId,
  status: z.string(),
  title: z.string(),
  version: z.object({ number: z.int(), when: z.string().optional() }),
  ancestors: z.array(z.object({ id: ContentId })).optional(),
  _links: z.object({ webui: z.string().optional(), base: z.string().optional() }).optional(),
})
const Links = z.object({ next: z.string().optional(), base: z.string().optional() }).optional()
const Rows = z.object({ results: z.array(Row), _links: Links })
const OneSpace = z.object({ id: ContentId, key: z.string() })
const Space = OneSpace.extend({
  name: z.string(),
  description: z.object({ plain: z.object({ value: z.string() }).optional() }).optional(),
})
const Body = z.object({ status: z.string(), body: z.object({ storage: z.object({ value: z.string() }) }) })

const partSize = 200
const expand = 'version,ancestors'

/** The REST API of Confluence Data Center and Server. */
export function dataCenterApi({ site, get }: ConfluenceRequests): ConfluenceApi {
  const { host } = new URL(site)
  const listed = (row: z.infer<typeof Row>, base: string | undefined): ListedPage => ({
    id: row.id,
    version: row.version.number,
    title: visibleText(row.title),
    parentId: row.ancestors?.at(-1)?.id,
    changedAt: row.version.when,
    url: pageUrl(site, row._links?.base ?? base, row._links?.webui, row.id),
  })
  const WithSpace = Row.extend({ space: OneSpace })
  const found = (row: z.infer<typeof WithSpace> | undefined, base?: string) =>
    row?.status === 'current' ? { ...listed(row, base), space: row.space } : undefined
  return {
    space: (key) =>
      shown(async () => {
        const { id, name, description, ...own } = await get(
          `/rest/api/space/${encodeURIComponent(key)}?expand=description.plain`,
          Space,
        )
        return { id, key: own.key, name: visibleText(name), description: visibleText(description?.plain?.value ?? '') }
      }),
    async *pages({ key }) {
      const guard = listGuard(host)
      for (let start: string | undefined = '0'; start !== undefined; ) {
        guard(start)
        const wanted: QueryValues = { type: 'page', status: 'current', spaceKey: key, expand, start, limit: partSize }
        const { results, _links }: z.infer<typeof Rows> = await get(`/rest/api/content?${query(wanted)}`, Rows)
        yield results.filter(({ status }) => status === 'current').map((row) => listed(row, _links?.base))
        // The site leaves restricted pages out of a batch, so only its link tells where the next one begins.
        start = URL.parse(_links?.next ?? '', site)?.searchParams.get('start') ?? undefined
      }
    },
    find: (page) =>
      shown(async () => {
        const fields = `${expand},space`
        if ('id' in page) return found(await get(`/rest/api/content/${page.id}?${query({ expand: fields })}`, WithSpace))
        const wanted = { type: 'page', spaceKey: page.spaceKey, title: page.title, expand: fields }
        const { results, _links } = await get(`/rest/api/content?${query(wanted)}`, Rows.extend({ results: z.array(WithSpace) }))
        return found(results[0], _links?.base)
      }),
    // Data Center has no folders.
    folder: async () => undefined,
    async body(id) {
      const { status, body } = await get(`/rest/api/content/${id}?${query({ expand: 'body.storage' })}`, Body)
      return { storage: body.storage.value, isCurrent: status === 'current' }
    },
  }
}
