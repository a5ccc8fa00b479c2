import { AppError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { type Audit, audited } from '../../access/audit.ts'
import type { Invite, Invites } from '../../access/invites.ts'
import { limitedWork } from '../../access/limited-work.ts'
import type { Mail } from '../../access/mail.ts'
import { userRule } from '../../access/rate-rules.ts'
import type { RequestCounts } from '../../access/request-counts.ts'
import { isAtLeast, type Membership, type Teamspaces } from '../../access/teamspaces.ts'
import type { User } from '../../access/users.ts'
import type { Acting } from '../access/acting.ts'
import { requireRole } from '../access/guards.ts'
import { actor } from './actor.ts'

export type ManageInvitesPorts = {
  invites: Invites
  teamspaces: Pick<Teamspaces, 'addMember' | 'membership' | 'get'>
  /** Undefined if messages cannot be sent. */
  mail: Mail | undefined
  requestCounts: RequestCounts
  audit: Pick<Audit, 'begin'>
  log: Log
  url: string
  now(): Date
}

/** Per person and day: each is a message to a stranger. */
const maxInvites = 50

/**
 * Invites the person of an address, and sends the link if it can. The one who invites may pass it on, too: it is of use only to
 * that person. Throws forbidden if the role is higher than the own one, rate_limit_exceeded.
 */
export async function invite(
  ports: ManageInvitesPorts,
  { teamspace, user, role: own }: Acting,
  { email, role }: Pick<Invite, 'email' | 'role'>,
): Promise<{ invite: Invite; link: string; sent: boolean }> {
  const { audit, invites, log, now, requestCounts: counts } = ports
  requireRole(own, role)
  const rule = userRule(user.id, { name: 'invites', what: 'invite # people a day', max: maxInvites }, now())
  const change = { who: actor(user), what: 'invite', teamspace: teamspace.id, after: { email, role } }
  const { token, ...created } = await limitedWork({ counts, log, now }, rule, () =>
    audited(audit, change, () => invites.create({ teamspace: teamspace.id, email, role, invitedBy: user.id })),
  )
  const link = `${ports.url}/invites/${token}`
  return { invite: created, link, sent: await isSent(ports, created, { teamspace: teamspace.name, from: user.email, link }) }
}

/** An address that no message reaches must not hide the link. */
async function isSent(
  { mail, log }: ManageInvitesPorts,
  { email, role, expiresAt }: Invite,
  { teamspace, from, link }: { teamspace: string; from: string; link: string },
): Promise<boolean> {
  if (mail === undefined) return false
  const text = `${from} invites you into the teamspace "${teamspace}" of Carrel, as ${role}.

Accept until ${expiresAt.slice(0, 10)}, signed in with ${email}:
${link}

If you do not know who that is, ignore this message.
`
  try {
    await mail.send({ to: email, subject: 'An invitation into a teamspace', text })
    return true
  } catch (error) {
    log.error({ error }, 'an invitation was not sent')
    return false
  }
}

/** Throws not_found. */
export async function withdrawInvite(
  { audit, invites }: ManageInvitesPorts,
  { teamspace: { id: team }, user }: Acting,
  id: string,
): Promise<void> {
  const invited = (await invites.list(team)).find((each) => each.id === id)
  if (invited === undefined) throw new AppError('not_found', 'The teamspace has no such invitation.')
  const before = { email: invited.email, role: invited.role }
  await audited(audit, { who: actor(user), what: 'withdrawInvite', teamspace: team, before }, () => invites.remove(team, id))
}

/** The invitation behind a link, for its addressee. Throws not_found, forbidden for everybody else. */
export async function readInvite(ports: ManageInvitesPorts, user: User, token: string): Promise<Membership & { invite: Invite }> {
  const { invites, teamspaces } = ports
  const found = await invites.find(token, user.id)
  const teamspace = found && (await teamspaces.get(found.teamspace))
  if (!found || !teamspace || !(await mayStillInvite(ports, found))) throw new AppError('not_found', gone)
  if (found.email.toLowerCase() !== user.email.toLowerCase()) throw new AppError('forbidden', otherAddress)
  return { teamspace, role: found.role, invite: found }
}

/** Makes the user a member. A member keeps the role. Throws as `readInvite` does. */
export async function acceptInvite(ports: ManageInvitesPorts, user: User, token: string): Promise<Membership> {
  const { audit, invites, teamspaces } = ports
  const { teamspace, role, invite } = await readInvite(ports, user, token)
  // This write decides: another user and a withdrawal come too late.
  if (!(await invites.accept(invite, user.id))) throw new AppError('not_found', gone)
  const existing = await teamspaces.membership(teamspace.id, user.id)
  if (existing === undefined)
    await audited(audit, { who: actor(user), what: 'acceptInvite', teamspace: teamspace.id, after: { role } }, () =>
      teamspaces.addMember(teamspace.id, user.id, role),
    )
  await invites.remove(teamspace.id, invite.id)
  return existing ?? { teamspace, role }
}

/** An invitation ends when its inviter loses the right to invite. */
async function mayStillInvite({ teamspaces }: ManageInvitesPorts, { teamspace, invitedBy, role }: Invite): Promise<boolean> {
  const inviter = await teamspaces.membership(teamspace, invitedBy)
  return inviter !== undefined && isAtLeast(inviter.role, 'admin') && isAtLeast(inviter.role, role)
}

const gone = 'This invitation does not exist, was withdrawn, accepted before, or has expired. Ask for another one.'
const otherAddress = 'This invitation is for another e-mail address. Sign in with the account that has it.'
