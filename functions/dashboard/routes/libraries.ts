import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../../shared/api/if-match.ts'
import { input } from '../../../shared/api/input.ts'
import { etagOf } from '../../../shared/http/etag.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { SourceAnswer, SourceChange } from '../../../shared/indexing/source-change.ts'
import { shownId } from '../../../shared/library.ts'
import { RecognizeAnswer, RecognizeRequest } from '../../../shared/packages/recognized-sources.ts'
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
import { type RecognizeForTeamPorts, recognizeForTeam } from '../queries/recognize-for-team.ts'
import { type TeamLibrariesPorts, teamJobs, teamLibraries, teamLibrary } from '../queries/team-libraries.ts'
import { AddedLibrary, ChangedSource, JobList, LibraryDetails, LibraryList, Message } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { actingMember, libraryInPath } from './library-in-path.ts'

const AddLibrary = z.strictObject({
  repoUrl: z.string().min(1).max(500),
  private: z.boolean().default(false),
})
const libraries = '/teamspaces/:team/libraries' as const
const library = `${libraries}/:owner/:repo` as const
const maxSourceBytes = 1024 * 1024
/** A function receives at most 6 MB. */
const maxTextBytes = 5 * 1024 * 1024

export const libraryRoutes = (ports: GuardPorts & ManageLibrariesPorts & TeamLibrariesPorts & RecognizeForTeamPorts) =>
  new Hono<SessionEnv>()
    .get(
      libraries,
      member(ports),
      describeRoute({
        operationId: 'listLibraries',
        tags: ['Libraries'],
        summary: 'List the libraries of a teamspace',
        description: 'Those that it has added or owns, with their unfinished jobs.',
        responses: { 200: json(LibraryList, 'The libraries') },
      }),
      async (c) => c.json({ libraries: await teamLibraries(ports, teamCaller(c)) }),
    )
    .post(
      libraries,
      member(ports),
      describeRoute({
        operationId: 'addLibrary',
        tags: ['Libraries'],
        summary: 'Add a repository',
        description:
          'Queues a job that reads it. A public library that exists is only added to the list. Private repositories need the role admin, a paid plan and a git token.',
        responses: { 200: json(AddedLibrary, 'It exists, and is in the list'), 202: json(AddedLibrary, 'It is being added') },
        errors: [409, 429, 502, 504],
      }),
      jsonBody(maxBodyBytes),
      input('json', AddLibrary),
      async (c) => {
        const { repoUrl, private: isPrivate } = c.req.valid('json')
        const { libraryId, isNew } = await addTeamLibrary(ports, actingMember(c), { repoUrl, isPrivate })
        const message = isNew ? `${libraryId} is being added.` : `${libraryId} exists. It is in your list now.`
        return c.json({ libraryId, message }, isNew ? 202 : 200)
      },
    )
    .post(
      `${libraries}/recognize`,
      member(ports),
      describeRoute({
        operationId: 'recognizeSources',
        tags: ['Libraries'],
        summary: 'Find the repositories that a text names',
        description:
          'Reads addresses, owner/repo, names and pages of packages, or a manifest or lock file. Nothing is fetched or added. The state of a library says whether it is in the list of the teamspace.',
        responses: { 200: json(RecognizeAnswer, 'Repositories, and names without one') },
      }),
      jsonBody(maxTextBytes),
      input('json', RecognizeRequest(maxTextBytes)),
      async (c) => c.json(await recognizeForTeam(ports, teamCaller(c), c.req.valid('json'))),
    )
    .get(
      '/teamspaces/:team/jobs',
      member(ports),
      describeRoute({
        operationId: 'listJobs',
        tags: ['Libraries'],
        summary: 'List the unfinished jobs of a teamspace',
        description: 'With their progress.',
        responses: { 200: json(JobList, 'The jobs') },
      }),
      async (c) => c.json({ jobs: await teamJobs(ports, teamCaller(c)) }),
    )
    .get(
      library,
      member(ports),
      describeRoute({
        operationId: 'getLibrary',
        tags: ['Libraries'],
        summary: 'Get a library',
        description: 'With its versions, and the report of its last job.',
        responses: { 200: json(LibraryDetails, 'The library') },
        errors: [400],
      }),
      async (c) => c.json(await teamLibrary(ports, teamCaller(c), await libraryInPath(c))),
    )
    .delete(
      library,
      admin(ports),
      describeRoute({
        operationId: 'deleteLibrary',
        tags: ['Libraries'],
        summary: 'Delete a library, or one version',
        description:
          'A library that the teamspace does not own only leaves its list. Deleting a public one requires a paid plan.',
        responses: { 200: json(Message, 'It is deleted, or has left the list') },
        errors: [400, 409],
      }),
      async (c) => {
        const id = await libraryInPath(c)
        const isDeleted = await deleteTeamLibrary(ports, actingMember(c), id)
        return c.json({ message: `${shownId(id)} ${isDeleted ? 'is deleted' : 'is no longer in the list of your teamspace'}.` })
      },
    )
    .post(
      `${library}/refresh`,
      member(ports),
      describeRoute({
        operationId: 'refreshLibrary',
        tags: ['Libraries'],
        summary: 'Refresh a library',
        description: 'Reads its repository again. Its old content is served until then.',
        responses: { 202: json(Message, 'It is being refreshed') },
        errors: [400, 409, 429],
      }),
      async (c) => {
        const id = await libraryInPath(c)
        await refreshTeamLibrary(ports, actingMember(c), id)
        return c.json({ message: `${shownId(id)} is being refreshed. Its old content is served until then.` }, 202)
      },
    )
    .get(
      `${library}/source`,
      member(ports),
      describeRoute({
        operationId: 'getSource',
        tags: ['Libraries'],
        summary: 'Get the source settings of a library',
        description: 'For the teamspace that owns it.',
        responses: { 200: json(SourceAnswer, 'The settings', EtagHeader) },
        errors: [400],
      }),
      async (c) => {
        const source = await teamSource(ports, teamCaller(c), await libraryInPath(c))
        return c.json(source, 200, { etag: etagOf({ '': source }) })
      },
    )
    .patch(
      `${library}/source`,
      admin(ports),
      describeRoute({
        operationId: 'changeSource',
        tags: ['Libraries'],
        summary: 'Change the source settings of a library',
        description: 'The change applies from the next refresh. Null restores a default.',
        responses: { 200: json(ChangedSource, 'The settings after the change', EtagHeader) },
        errors: [409],
      }),
      ifMatch(),
      jsonBody(maxSourceBytes),
      input('json', SourceChange),
      async (c) => {
        const request = { change: c.req.valid('json'), ifMatch: c.req.header('if-match') }
        const source = await changeTeamSource(ports, actingMember(c), await libraryInPath(c), request)
        const message = 'The change applies from the next refresh.'
        return c.json({ message, ...source }, 200, { etag: etagOf({ '': source }) })
      },
    )
