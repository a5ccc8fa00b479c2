import { Hono } from 'hono'
import { shownId } from '../../../shared/library.ts'
import type { Audit } from '../../access/audit.ts'
import { beginClaim, type ClaimPorts, releaseLibrary, verifyClaim } from '../../claims/claim-library.ts'
import { admin, type GuardPorts } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { changing } from '../actions/manage-libraries.ts'
import { actingMember, libraryInPath } from './library-in-path.ts'

const claim = '/teamspaces/:team/libraries/:owner/:repo/claim' as const

export const claimRoutes = (ports: GuardPorts & ClaimPorts & { audit: Pick<Audit, 'begin'> }) =>
  new Hono<SessionEnv>()
    .post(claim, admin(ports), async (c) => c.json(await beginClaim(ports, teamCaller(c), libraryInPath(c))))
    .post(`${claim}/verify`, admin(ports), async (c) => {
      const id = libraryInPath(c)
      const after = { library: shownId(id) }
      await changing(ports, actingMember(c), 'claimLibrary', { after }, () => verifyClaim(ports, teamCaller(c), id))
      return c.json({ message: `Your teamspace owns ${shownId(id)}.` })
    })
    .delete(claim, admin(ports), async (c) => {
      const id = libraryInPath(c)
      const before = { library: shownId(id) }
      await changing(ports, actingMember(c), 'releaseLibrary', { before }, () => releaseLibrary(ports, teamCaller(c), id))
      return c.json({ message: `${shownId(id)} has no owner now. Its settings stay.` })
    })
