import { Hono } from 'hono'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { RecognizeAnswer, RecognizeRequest } from '../../shared/packages/recognized-sources.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { KnownLibrariesAnswer, type KnownSourcesPorts, listKnownLibraries, recognizeHere } from '../queries/known-sources.ts'

const maxTextChars = 10 * 1024 * 1024
/** JSON escapes the quotes and line ends of a file of 10 MB. */
const maxBodyBytes = 20 * 1024 * 1024

export const recognizeRoutes = (ports: VisiblePorts & KnownSourcesPorts) =>
  new Hono<CallerEnv>()
    .post(
      '/parse/recognize',
      describeRoute({
        operationId: 'recognizeSources',
        tags: ['Parse'],
        summary: 'Find the repositories that a text names',
        description:
          'Reads addresses of repositories and of their pages, owner/repo, names of packages and addresses of their pages in a registry, or a manifest or lock file. The repositories of packages are found in the list of known libraries. Nothing is fetched or queued.',
        responses: { 200: json(RecognizeAnswer, 'Repositories, and names without one') },
      }),
      requireRight(ports, 'member'),
      jsonBody(maxBodyBytes),
      input('json', RecognizeRequest(maxTextChars)),
      async (c) => c.json(await recognizeHere(visibleTo(ports, c.get('caller')), c.req.valid('json'))),
    )
    .get(
      '/known-libraries',
      describeRoute({
        operationId: 'listKnownLibraries',
        tags: ['Parse'],
        summary: 'List popular libraries',
        description:
          'Popular libraries with the repositories and folders of their documentation, as this version of Carrel ships them. The list is empty if the setting github.baseUrl names another host than github.com.',
        responses: { 200: json(KnownLibrariesAnswer, 'Libraries by title') },
      }),
      requireRight(ports, 'member'),
      (c) => c.json(listKnownLibraries(visibleTo(ports, c.get('caller')))),
    )
