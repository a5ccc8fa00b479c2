import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../../shared/api/input.ts'
import { etagOf } from '../../../shared/http/etag.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { SourceChange } from '../../../shared/indexing/source-change.ts'
import { shownId } from '../../../shared/library.ts'
import { admin, type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import {
  addTeamLibrary,
  changeTeamSource,
  deleteTeamLibrary,
  type ManageLibrariesPorts,
  refreshTeamLibrary,
  teamSource,
} from '../actions/manage-libraries.ts'
import { type TeamLibrariesPorts, teamJobs, teamLibraries, teamLibrary } from '../queries/team-libraries.ts'
import { maxBodyBytes } from './body-limit.ts'
import { actingMember, libraryInPath } from './library-in-path.ts'

const AddLibrary = z.strictObject({
  repoUrl: z.string().min(1).max(500),
  private: z.boolean().default(false),
})
const libraries = '/teamspaces/:team/libraries' as const
const library = `${libraries}/:owner/:repo` as const
const maxSourceBytes = 1024 * 1024

export const libraryRoutes = (ports: GuardPorts & ManageLibrariesPorts & TeamLibrariesPorts) =>
  new Hono<SessionEnv>()
    .get(libraries, member(ports), async (c) => c.json({ libraries: await teamLibraries(ports, teamCaller(c)) }))
    .post(libraries, member(ports), jsonBody(maxBodyBytes), input('json', AddLibrary), async (c) => {
      const { repoUrl, private: isPrivate } = c.req.valid('json')
      const { libraryId, isNew } = await addTeamLibrary(ports, actingMember(c), { repoUrl, isPrivate })
      const message = isNew ? `${libraryId} is being parsed for the first time.` : `${libraryId} exists. It is in your list now.`
      return c.json({ libraryId, message }, isNew ? 202 : 200)
    })
    .get('/teamspaces/:team/jobs', member(ports), async (c) => c.json({ jobs: await teamJobs(ports, teamCaller(c)) }))
    .get(library, member(ports), async (c) => c.json(await teamLibrary(ports, teamCaller(c), libraryInPath(c))))
    .delete(library, admin(ports), async (c) => {
      const id = libraryInPath(c)
      const isDeleted = await deleteTeamLibrary(ports, actingMember(c), id)
      return c.json({ message: `${shownId(id)} ${isDeleted ? 'is deleted' : 'is no longer in the list of your teamspace'}.` })
    })
    .post(`${library}/refresh`, member(ports), async (c) => {
      const id = libraryInPath(c)
      await refreshTeamLibrary(ports, actingMember(c), id)
      return c.json({ message: `${shownId(id)} is being refreshed. Its old content is served until then.` }, 202)
    })
    .get(`${library}/source`, member(ports), async (c) => {
      const source = await teamSource(ports, teamCaller(c), libraryInPath(c))
      return c.json(source, 200, { etag: etagOf({ '': source }) })
    })
    .patch(`${library}/source`, admin(ports), jsonBody(maxSourceBytes), input('json', SourceChange), async (c) => {
      const request = { change: c.req.valid('json'), ifMatch: c.req.header('if-match') }
      const source = await changeTeamSource(ports, actingMember(c), libraryInPath(c), request)
      const message = 'The change applies from the next refresh.'
      return c.json({ message, ...source }, 200, { etag: etagOf({ '': source }) })
    })
