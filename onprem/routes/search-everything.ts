import { Hono } from 'hono'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { amongVisible, type VisiblePorts } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { EverythingAnswer, EverythingQuery, searchEverything } from '../queries/search-everything.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { TextIndex } from '../store/text-index/text-index.ts'

type Ports = VisiblePorts & { catalog: InstallCatalog; textIndex: TextIndex }

export const searchEverythingRoutes = (ports: Ports) =>
  new Hono<CallerEnv>().get(
    '/search',
    describeRoute({
      operationId: 'searchEverything',
      tags: ['Projects'],
      summary: 'Find libraries, pages, headings and text while one types',
      description:
        'Searches the default content of all libraries that the caller may read. The best libraries come first, each with its best matches. Answers to questions come from /v2/context and /v2/search.',
      responses: { 200: json(EverythingAnswer, 'Libraries, best first') },
    }),
    requireRight(ports, 'read'),
    input('query', EverythingQuery),
    async (c) => c.json(await amongVisible(ports, c.get('caller'), (seen) => searchEverything(seen, c.req.valid('query')))),
  )
