import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { idOf, LibraryInPath } from '../../shared/search/pages/list-pages.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { changeTags, TagChange } from '../actions/change-tags.ts'

const maxBodyBytes = 64 * 1024
const ChangedTags = z.object({ message: z.string(), tags: z.array(z.string()) })

/** The words by which people of an install group their libraries. */
export const tagRoutes = (ports: VisiblePorts & Parameters<typeof changeTags>[0]) =>
  new Hono<CallerEnv>().patch(
    '/projects/:owner/:repo/tags',
    describeRoute({
      operationId: 'changeTags',
      tags: ['Projects'],
      summary: 'Add and remove tags of a library',
      description:
        'Tags group the libraries of this install; they are no versions, and search ignores them. They are stored in small letters. A library keeps its tags when it is refreshed or imported again.',
      responses: { 200: json(ChangedTags, 'The tags that the library has') },
      errors: [404],
    }),
    requireRight(ports, 'change'),
    input('param', LibraryInPath),
    jsonBody(maxBodyBytes),
    input('json', TagChange),
    (c) => {
      const caller = c.get('caller')
      const tags = changeTags(visibleTo(ports, caller), caller, idOf(c.req.valid('param'), undefined), c.req.valid('json'))
      return c.json({ message: tags.length === 0 ? 'It has no tags.' : `Its tags: ${tags.join(', ')}.`, tags })
    },
  )
