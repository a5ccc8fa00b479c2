import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../../shared/api/if-match.ts'
import { input } from '../../../shared/api/input.ts'
import { AppError } from '../../../shared/errors.ts'
import { etagOf, requireMatch } from '../../../shared/http/etag.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { shortText } from '../../../shared/schemas/short-text.ts'
import { searchLibraries } from '../../../shared/search/libraries/search-libraries.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import type { Audit } from '../../access/audit.ts'
import type { NamedLibraries } from '../../catalog/catalog-snapshot.ts'
import {
  type ExportZipsPorts,
  foundSelection,
  noteBuiltZips,
  startExport,
  teamExport,
  teamExports,
} from '../../exports/export-zips.ts'
import { exportedContents } from '../../exports/exported-contents.ts'
import { requireOfflineLicense } from '../../exports/offline-licenses.ts'
import { currentSelection, type FoundSelection, saveSelection, selectionAnswer } from '../../exports/team-selections.ts'
import { type GuardPorts, type MemberEnv, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { changing } from '../actions/manage-libraries.ts'
import { ExportAnswer, ExportableList, ExportList, Message, SelectionAnswer, SelectionList } from './answers.ts'
import { actingMember } from './library-in-path.ts'

const maxBodyBytes = 64 * 1024

/** More than a zip may have, so that the error names the limit. */
const Libraries = z.array(z.string().max(501)).max(1000)
const SearchQuery = z.object({ q: z.string().trim().min(1).max(500) })
const SelectionId = z.object({ id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be up to 64 of a-z, 0-9 and -') })
/** The type of the client needs both parameters of the path. */
const SelectionPath = SelectionId.extend({ team: z.string() })
const SelectionBody = z.strictObject({ name: shortText(100), libraries: Libraries })
const ExportBody = z
  .strictObject({ libraries: Libraries.optional(), selection: SelectionId.shape.id.optional() })
  .refine(({ libraries, selection }) => (libraries === undefined) !== (selection === undefined), {
    error: 'must name libraries or a selection',
  })

type ExportRoutesPorts = GuardPorts & ExportZipsPorts & { names: NamedLibraries; audit: Pick<Audit, 'begin'> }

const base = '/teamspaces/:team' as const

/** Zips of public libraries, for members of a teamspace with a valid offline license. */
export const exportRoutes = (ports: ExportRoutesPorts) =>
  new Hono<SessionEnv>()
    .get(
      `${base}/exports`,
      member(ports),
      describeRoute({
        operationId: 'listExports',
        tags: ['Exports'],
        summary: 'List the exports of a teamspace',
        description: 'All routes of exports require a valid offline license.',
        responses: { 200: json(ExportList, 'The licenses and exports') },
      }),
      licensed(ports),
      async (c) => c.json(await teamExports(ports, teamCaller(c))),
    )
    .post(
      `${base}/exports`,
      member(ports),
      describeRoute({
        operationId: 'startExport',
        tags: ['Exports'],
        summary: 'Build a zip of libraries',
        description: 'Of at most 50 libraries, or of a selection. Two zips of a teamspace are built at the same time.',
        responses: { 202: json(z.object({ id: z.string() }), 'It is being built') },
        errors: [409, 422],
      }),
      licensed(ports),
      jsonBody(maxBodyBytes),
      input('json', ExportBody),
      async (c) => {
        const acting = actingMember(c)
        const request = c.req.valid('json')
        const after = { libraries: request.libraries ?? [`selection ${request.selection}`] }
        return c.json(await changing(ports, acting, 'startExport', { after }, () => startExport(ports, acting, request)), 202)
      },
    )
    .get(
      `${base}/exports/libraries`,
      member(ports),
      describeRoute({
        operationId: 'findExportable',
        tags: ['Exports'],
        summary: 'Find libraries to export',
        description: 'Public libraries by name, with their sizes.',
        responses: { 200: json(ExportableList, 'The libraries, best first') },
      }),
      licensed(ports),
      input('query', SearchQuery),
      async (c) => {
        return c.json({ libraries: await exportableNamed(ports, c.req.valid('query').q) })
      },
    )
    .get(
      `${base}/exports/:id`,
      member(ports),
      describeRoute({
        operationId: 'getExport',
        tags: ['Exports'],
        summary: 'Get an export',
        description: 'Its state, and the address of a built zip.',
        responses: { 200: json(ExportAnswer, 'The export') },
      }),
      licensed(ports),
      async (c) => c.json(await teamExport(ports, teamCaller(c), c.req.param('id'))),
    )
    .get(
      `${base}/selections`,
      member(ports),
      describeRoute({
        operationId: 'listSelections',
        tags: ['Exports'],
        summary: 'List saved selections',
        description: 'Libraries that are exported together.',
        responses: { 200: json(SelectionList, 'The selections') },
      }),
      licensed(ports),
      async (c) => {
        const { id } = c.get('teamspace')
        await noteBuiltZips(ports, id)
        const selections = await ports.selections.list(id)
        return c.json({
          selections: selections.map(({ built, libraries, ...rest }) => ({
            ...rest,
            libraries: libraries.length,
            builtAt: built?.at ?? null,
          })),
        })
      },
    )
    .get(
      `${base}/selections/:id`,
      member(ports),
      describeRoute({
        operationId: 'getSelection',
        tags: ['Exports'],
        summary: 'Get a selection',
        description: 'With the sizes of its libraries, and what has changed since its last zip. `current` always exists.',
        responses: { 200: json(SelectionAnswer, 'The selection', EtagHeader) },
      }),
      licensed(ports),
      async (c) => {
        const { id } = c.get('teamspace')
        await noteBuiltZips(ports, id)
        return shown(ports, c, await foundSelection(ports, id, c.req.param('id')))
      },
    )
    .put(
      `${base}/selections/:id`,
      member(ports),
      describeRoute({
        operationId: 'saveSelection',
        tags: ['Exports'],
        summary: 'Save a selection',
        description: 'Creates it, or replaces its name and libraries.',
        responses: { 200: json(SelectionAnswer, 'The selection', EtagHeader) },
      }),
      licensed(ports),
      ifMatch(),
      input('param', SelectionPath),
      jsonBody(maxBodyBytes),
      input('json', SelectionBody),
      async (c) => {
        const { id: team } = c.get('teamspace')
        const { id } = c.req.valid('param')
        await saveSelection(ports, team, { id, ...c.req.valid('json') }, (before) =>
          requireMatch(c.req.header('if-match'), stateOf(before ?? { ...currentSelection, id })),
        )
        return shown(ports, c, await foundSelection(ports, team, id))
      },
    )
    .delete(
      `${base}/selections/:id`,
      member(ports),
      describeRoute({
        operationId: 'deleteSelection',
        tags: ['Exports'],
        summary: 'Delete a selection',
        description: '`current` is emptied by that.',
        responses: { 200: json(Message, 'It is deleted') },
      }),
      licensed(ports),
      async (c) => {
        const { id: team } = c.get('teamspace')
        const id = c.req.param('id')
        if (!(await ports.selections.remove(team, id))) throw new AppError('not_found', `There is no selection ${excerpt(id)}.`)
        return c.json({ message: 'The selection is deleted.' })
      },
    )

const stateOf = ({ name, libraries }: FoundSelection) => ({ '': { name, libraries } })

const shown = async (ports: ExportRoutesPorts, c: Context, selection: FoundSelection) =>
  c.json(await selectionAnswer(ports, selection), 200, { etag: etagOf(stateOf(selection)) })

/** Throws forbidden before a body is read. */
const licensed = (ports: ExportRoutesPorts) =>
  createMiddleware<MemberEnv>(async (c, next) => {
    await requireOfflineLicense(ports, c.get('teamspace').id)
    await next()
  })

/** Public libraries that a name may mean, best first, with their sizes. */
async function exportableNamed({ catalog, names }: ExportRoutesPorts, libraryName: string) {
  const found = await searchLibraries({ catalog: names }, { libraryName }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'no_libraries_found') return { results: [] }
    throw error
  })
  const contents = await exportedContents(
    catalog,
    found.results.map(({ id }) => id),
  )
  return [...contents.values()].map(({ hash: _, ...library }) => library)
}
