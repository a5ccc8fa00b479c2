import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../shared/api/if-match.ts'
import { input } from '../../shared/api/input.ts'
import { etagOf } from '../../shared/http/etag.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { SourceAnswer, SourceChange } from '../../shared/indexing/source-change.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { LibraryInPath } from '../../shared/search/pages/list-pages.ts'
import { amongVisible, type VisiblePorts } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { type ChangeForCallerPorts, changeSourceForCaller, sourceAnswer } from '../actions/change-source.ts'

const maxBodyBytes = 1024 * 1024
const ChangedSource = SourceAnswer.extend({ message: z.string() })

/** The settings with which a library is read from its repository. */
export const sourceRoutes = (ports: VisiblePorts & ChangeForCallerPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/projects/:owner/:repo/source',
      describeRoute({
        operationId: 'getSource',
        tags: ['Projects'],
        summary: 'Get the source settings of a library',
        description: 'Returns the repository and the settings of the next refresh. An imported library has none.',
        responses: { 200: json(SourceAnswer, 'The settings', EtagHeader) },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryInPath),
      async (c) => {
        const id = idOf(c.req.valid('param'))
        const source = await amongVisible(ports, c.get('caller'), (seen) => sourceAnswer(seen, id))
        return c.json(source, 200, { etag: etagOf({ '': source }) })
      },
    )
    .patch(
      '/projects/:owner/:repo/source',
      describeRoute({
        operationId: 'changeSource',
        tags: ['Projects'],
        summary: 'Change the source settings of a library',
        description:
          'Changes the named settings; null restores a default. The change applies from the next refresh: until then, the old content is served. It is rejected while a job of the library is unfinished.',
        responses: { 200: json(ChangedSource, 'The settings of the next refresh', EtagHeader) },
        errors: [404, 409],
      }),
      requireRight(ports, 'change'),
      ifMatch(),
      input('param', LibraryInPath),
      jsonBody(maxBodyBytes),
      input('json', SourceChange),
      async (c) => {
        const [id, caller, change] = [idOf(c.req.valid('param')), c.get('caller'), c.req.valid('json')]
        const source = await amongVisible(ports, caller, (seen) =>
          changeSourceForCaller(seen, caller, id, change, c.req.header('if-match')),
        )
        const message = 'The change applies from the next refresh.'
        return c.json({ message, ...source }, 200, { etag: etagOf({ '': source }) })
      },
    )

const idOf = ({ owner, repo }: z.infer<typeof LibraryInPath>) => parseLibraryId(`/${owner}/${repo}`)
