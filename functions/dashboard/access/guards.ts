import { createMiddleware } from 'hono/factory'
import { AppError } from '../../../shared/errors.ts'
import { withDocs } from '../../../shared/http/route-docs.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import { isAtLeast, type Role, type Teamspace, type Teamspaces } from '../../access/teamspaces.ts'
import type { SessionEnv, SignedIn } from './session.ts'

/** `session` is certain behind `signedIn`. */
export type SignedInEnv = { Variables: { session: SignedIn } }

/** Behind `member`, `admin` and `owner`: the teamspace of the path parameter `:team`, and the role of the user in it. */
export type MemberEnv = { Variables: { session: SignedIn; teamspace: Teamspace; role: Role } }

export type GuardPorts = { teamspaces: Pick<Teamspaces, 'membership'> }

const idShape = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Admits everybody who is signed in. Throws invalid_api_key. */
export const signedIn = () =>
  withDocs(
    createMiddleware<SignedInEnv>(async (c, next) => {
      requireSession(c.get('session'))
      await next()
    }),
    { access: { caller: 'signed in', needsKey: true }, errors: [401] },
  )

/** Admits members of the teamspace `:team`. Throws invalid_api_key, team_not_found: the same for a missing teamspace and one of others. */
export const member = (ports: GuardPorts) => atLeast(ports, 'developer')

/** Admits admins and owners of the teamspace `:team`. Throws as `member` does, and forbidden. */
export const admin = (ports: GuardPorts) => atLeast(ports, 'admin')

/** Admits owners of the teamspace `:team`. Throws as `member` does, and forbidden. */
export const owner = (ports: GuardPorts) => atLeast(ports, 'owner')

/** The first handler of a route, so that no body and no other id is looked at before. */
const atLeast = ({ teamspaces }: GuardPorts, needed: Role) =>
  withDocs(
    createMiddleware<MemberEnv>(async (c, next) => {
      const { user } = requireSession(c.get('session'))
      const id = c.req.param('team') ?? ''
      const membership = idShape.test(id) ? await teamspaces.membership(id, user.id) : undefined
      if (membership === undefined)
        throw new AppError('team_not_found', `There is no teamspace "${excerpt(id)}", or you are not a member of it.`)
      requireRole(membership.role, needed)
      c.set('teamspace', membership.teamspace)
      c.set('role', membership.role)
      await next()
    }),
    { access: { caller: needed, needsKey: true }, errors: [401, 404] },
  )

/** Throws forbidden. */
export function requireRole(role: Role, needed: Role): void {
  if (!isAtLeast(role, needed))
    throw new AppError('forbidden', `This requires the role ${needed} in the teamspace; your role is ${role}.`)
}

function requireSession(session: SessionEnv['Variables']['session']): SignedIn {
  if (session) return session
  throw new AppError('invalid_api_key', 'Sign in first.')
}
