import type { Context } from 'hono'
import { knownIdOf } from '../../../shared/api/known-ids.ts'
import { requestIdOf } from '../../../shared/http/log-requests.ts'
import type { LibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import type { MemberEnv } from '../access/guards.ts'
import { teamCaller } from '../access/team-caller.ts'
import type { Acting } from '../actions/manage-libraries.ts'

/** The library of the path parameters; the repository also as `repo@version`. Throws invalid_library_id. */
export const libraryInPath = async (c: Context): Promise<LibraryId> =>
  knownIdOf(c, readLibraryId(`${c.req.param('owner')}/${c.req.param('repo')}`))

export const actingMember = (c: Context<MemberEnv>): Acting => ({
  caller: teamCaller(c),
  user: c.get('session').user,
  plan: c.get('teamspace').plan,
  requestId: requestIdOf(c),
})
