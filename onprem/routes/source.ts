import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { amongVisible, type VisiblePorts } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import {
  type ChangeForCallerPorts,
  changeSourceForCaller,
  SourceAnswer,
  SourceChange,
  sourceAnswer,
} from '../actions/change-source.ts'
import { LibraryInPath } from '../queries/list-pages.ts'

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
        responses: { 200: json(SourceAnswer, 'The settings') },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryInPath),
      async (c) => c.json(await amongVisible(ports, c.get('caller'), (seen) => sourceAnswer(seen, idOf(c.req.valid('param'))))),
    )
    .patch(
      '/projects/:owner/:repo/source',
      describeRoute({
        operationId: 'changeSource',
        tags: ['Projects'],
        summary: 'Change the source settings of a library',
        description:
          'Changes the named settings; null restores a default. The change applies from the next refresh: until then, the old content is served. It is rejected while a job of the library is unfinished.',
        responses: { 200: json(ChangedSource, 'The settings of the next refresh') },
        errors: [404, 409],
      }),
      requireRight(ports, 'member'),
      input('param', LibraryInPath),
      jsonBody(maxBodyBytes),
      input('json', SourceChange),
      (c) => {
        const source = changeSourceForCaller(ports, c.get('caller'), idOf(c.req.valid('param')), c.req.valid('json'))
        return c.json({ message: 'The change applies from the next refresh.', ...source })
      },
    )

const idOf = ({ owner, repo }: z.infer<typeof LibraryInPath>) => parseLibraryId(`/${owner}/${repo}`)
