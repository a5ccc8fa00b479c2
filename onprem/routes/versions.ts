import { Hono } from 'hono'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { callerSignal } from '../../shared/http/caller-signal.ts'
import { ChangeList, type ChangesPorts, ChangesQuery, listChanges } from '../../shared/search/pages/list-changes.ts'
import { idOf, LibraryInPath } from '../../shared/search/pages/list-pages.ts'
import { amongVisible, type VisiblePorts } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { RemoteNames, type RemoteNamesPorts, remoteNames } from '../actions/remote-names.ts'
import { LibraryVersions, libraryVersions } from '../queries/library-versions.ts'

type VersionRoutesPorts = VisiblePorts & ChangesPorts & RemoteNamesPorts & Parameters<typeof libraryVersions>[0]

/** The versions of a library, how they differ, and those that could be added. */
export const versionRoutes = (ports: VersionRoutesPorts) => {
  const askHost = remoteNames()
  return new Hono<CallerEnv>()
    .get(
      '/projects/:owner/:repo/versions',
      describeRoute({
        operationId: 'listVersions',
        tags: ['Projects'],
        summary: 'List the versions of a library',
        description: 'Returns the figures, the commit and its date of the default content and of each version.',
        responses: { 200: json(LibraryVersions, 'The default content, then the versions') },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryInPath),
      async (c) => {
        const id = idOf(c.req.valid('param'), undefined)
        return c.json(await amongVisible(ports, c.get('caller'), (seen) => libraryVersions(seen, id)))
      },
    )
    .get(
      '/projects/:owner/:repo/changes',
      describeRoute({
        operationId: 'listChanges',
        tags: ['Projects'],
        summary: 'List the pages that differ between two versions',
        description: 'Compares the pages of two versions of a library by their paths and their text.',
        responses: { 200: json(ChangeList, 'The pages that were added, removed or changed') },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryInPath),
      input('query', ChangesQuery),
      async (c) => {
        const [library, query] = [c.req.valid('param'), c.req.valid('query')]
        const signal = callerSignal(c.req.raw)
        return c.json(await amongVisible(ports, c.get('caller'), (seen) => listChanges(seen, library, query, signal)))
      },
    )
    .get(
      '/projects/:owner/:repo/remote-names',
      describeRoute({
        operationId: 'listRemoteNames',
        tags: ['Projects'],
        summary: 'List the tags and branches of the repository of a library',
        description: 'Asks the git host, for at most ten seconds. An imported library has no repository to ask.',
        responses: { 200: json(RemoteNames, 'Names that can be added as versions') },
        errors: [403, 404, 422, 429, 502, 504],
      }),
      requireRight(ports, 'change'),
      input('param', LibraryInPath),
      async (c) => {
        const id = idOf(c.req.valid('param'), undefined)
        const signal = callerSignal(c.req.raw)
        return c.json(await amongVisible(ports, c.get('caller'), (seen) => askHost(seen, id, signal)))
      },
    )
}
