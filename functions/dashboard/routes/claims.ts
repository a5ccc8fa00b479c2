import { Hono } from 'hono'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { shownId } from '../../../shared/library.ts'
import type { Audit } from '../../access/audit.ts'
import { countAttempt } from '../../access/limited-work.ts'
import { userRule } from '../../access/rate-rules.ts'
import type { RequestCounts } from '../../access/request-counts.ts'
import { beginClaim, type ClaimPorts, releaseLibrary, verifyClaim } from '../../claims/claim-library.ts'
import { admin, type GuardPorts } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { changing } from '../actions/manage-libraries.ts'
import { ClaimAnswer, Message } from './answers.ts'
import { actingMember, libraryInPath } from './library-in-path.ts'

const claim = '/teamspaces/:team/libraries/:owner/:repo/claim' as const

type ClaimRoutesPorts = GuardPorts & ClaimPorts & { audit: Pick<Audit, 'begin'>; requestCounts: RequestCounts; now(): Date }

/** Per person and day: each reads files of a git host. */
const maxVerifications = 100

export const claimRoutes = (ports: ClaimRoutesPorts) =>
  new Hono<SessionEnv>()
    .post(
      claim,
      admin(ports),
      describeRoute({
        operationId: 'beginClaim',
        tags: ['Claims'],
        summary: 'Start a claim to a public library',
        description: 'Returns a key for the project file of the default branch, which proves the claim. Renews one that is open.',
        responses: { 200: json(ClaimAnswer, 'The fields for the project file') },
        errors: [400],
      }),
      async (c) => c.json(await beginClaim(ports, teamCaller(c), await libraryInPath(c))),
    )
    .post(
      `${claim}/verify`,
      admin(ports),
      describeRoute({
        operationId: 'verifyClaim',
        tags: ['Claims'],
        summary: 'Verify a claim',
        description: 'Reads the project file of the default branch. The teamspace becomes the owner if it has the key.',
        responses: { 200: json(Message, 'The teamspace owns the library') },
        errors: [400, 409, 429, 502, 504],
      }),
      async (c) => {
        const id = await libraryInPath(c)
        const limit = { name: 'claims', what: 'verify # claims a day', max: maxVerifications }
        const rule = userRule(c.get('session').user.id, limit, ports.now())
        await countAttempt({ counts: ports.requestCounts, now: ports.now }, rule)
        const after = { library: shownId(id) }
        await changing(ports, actingMember(c), 'claimLibrary', { after }, () => verifyClaim(ports, teamCaller(c), id))
        return c.json({ message: `Your teamspace owns ${shownId(id)}.` })
      },
    )
    .delete(
      claim,
      admin(ports),
      describeRoute({
        operationId: 'releaseLibrary',
        tags: ['Claims'],
        summary: 'Release a public library',
        description: 'It has no owner then. Its settings stay.',
        responses: { 200: json(Message, 'It is released') },
        errors: [400],
      }),
      async (c) => {
        const id = await libraryInPath(c)
        const before = { library: shownId(id) }
        await changing(ports, actingMember(c), 'releaseLibrary', { before }, () => releaseLibrary(ports, teamCaller(c), id))
        return c.json({ message: `${shownId(id)} has no owner now. Its settings stay.` })
      },
    )
