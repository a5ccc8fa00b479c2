import { Hono } from 'hono'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { AppError } from '../../../shared/errors.ts'
import { libraryKey, shownId } from '../../../shared/library.ts'
import type { Audit } from '../../access/audit.ts'
import type { Teamspaces } from '../../access/teamspaces.ts'
import { ownedLibrary } from '../../access/visibility.ts'
import { type OptOutLibraryPorts, optOutLibrary } from '../../jobs/opt-out-library.ts'
import type { OptOuts } from '../../takedown/opt-outs.ts'
import { admin, type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { changing } from '../actions/manage-libraries.ts'
import { Message, OptedOut, OptOutList } from './answers.ts'
import { actingMember, libraryInPath } from './library-in-path.ts'

type OptOutRoutesPorts = GuardPorts &
  OptOutLibraryPorts & {
    optOuts: OptOuts
    teamspaces: Pick<Teamspaces, 'ownership'>
    audit: Pick<Audit, 'begin'>
  }

const library = '/teamspaces/:team/libraries/:owner/:repo/opt-out' as const

/** A teamspace that has proven that it owns a public library removes it, and allows it again. */
export const optOutRoutes = (ports: OptOutRoutesPorts) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/opt-outs',
      member(ports),
      describeRoute({
        operationId: 'listOptOuts',
        tags: ['Libraries'],
        summary: 'List the libraries that the teamspace has opted out',
        description: 'Nobody can add them.',
        responses: { 200: json(OptOutList, 'The libraries') },
      }),
      async (c) => {
        const own = (await ports.optOuts.list()).filter(({ teamspace }) => teamspace === c.get('teamspace').id)
        return c.json({ optOuts: own.map(({ library, at }) => ({ library, at })) })
      },
    )
    .post(
      library,
      admin(ports),
      describeRoute({
        operationId: 'optOut',
        tags: ['Libraries'],
        summary: 'Opt a public library out',
        description: 'Removes it, and nobody can add it. The teamspace must have claimed it.',
        responses: { 200: json(OptedOut, 'It is removed, or will be when its job ends') },
        errors: [400],
      }),
      async (c) => {
        const id = await libraryInPath(c)
        const { key } = await ownedLibrary(ports.catalog, teamCaller(c), id)
        const teamspace = c.get('teamspace').id
        // The teamspace that adds a library has proven nothing.
        if ((await ports.teamspaces.ownership(teamspace, key)) === 'added')
          throw new AppError('forbidden', `Claim ${shownId(id)} first: the key in its project file proves that it is yours.`)
        const facts = { before: { library: shownId(id) } }
        const done = await changing(ports, actingMember(c), 'optOut', facts, () =>
          optOutLibrary(ports, id, { by: 'owner', teamspace }),
        )
        const message = done.removed ? 'is removed' : 'is removed when its job has ended'
        return c.json({ ...done, message: `${shownId(id)} ${message}, and nobody can add it.` })
      },
    )
    .delete(
      library,
      admin(ports),
      describeRoute({
        operationId: 'liftOptOut',
        tags: ['Libraries'],
        summary: 'Lift an opt-out',
        description: 'The library can be added again.',
        responses: { 200: json(Message, 'It can be added again') },
        errors: [400],
      }),
      async (c) => {
        const id = await libraryInPath(c)
        const optOut = await ports.optOuts.find(libraryKey(id))
        if (optOut?.teamspace !== c.get('teamspace').id)
          throw new AppError('not_found', `Your teamspace has not opted ${shownId(id)} out.`)
        await changing(ports, actingMember(c), 'liftOptOut', { before: { library: shownId(id) } }, () =>
          ports.optOuts.lift(libraryKey(id)),
        )
        return c.json({ message: `${shownId(id)} can be added again.` })
      },
    )
