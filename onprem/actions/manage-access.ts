import { z } from 'zod'
import { invalidField } from '../../shared/errors.ts'
import { requireMatch, type State } from '../../shared/http/etag.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { GroupName, type GroupStore } from '../accounts/group-store.ts'
import { LibraryPattern } from '../accounts/library-pattern.ts'
import { accessLevels, type LibraryRules } from '../accounts/library-rules.ts'
import { Username } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'

const maxNames = 200

export const RuleInput = z.strictObject({
  pattern: LibraryPattern,
  access: z
    .enum(accessLevels)
    .describe(
      'public: all who may read; internal: signed-in people and keys; restricted: the named groups and users, and admins; host: people whom GitHub or GitLab lets read the repository, and admins',
    ),
  groups: z
    .array(shortText(500))
    .max(maxNames)
    .default([])
    .describe('Names of groups; those of an issuer begin with its name and a colon. Only with restricted'),
  users: z.array(Username).max(maxNames).default([]).describe('Names of users. Only with restricted'),
})
export type RuleInput = z.infer<typeof RuleInput>

export const NewGroup = z.strictObject({ name: GroupName })
export const GroupMembers = z.strictObject({ users: z.array(Username).max(10_000).describe('The names of all members') })

export type ManageAccessPorts = {
  libraryRules: LibraryRules
  groups: GroupStore
  users: Pick<UserStore, 'list' | 'find'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** The rules with the names of their users, the most specific first. Users that are deleted are omitted. */
export function listedRules({ libraryRules, users }: Pick<ManageAccessPorts, 'libraryRules' | 'users'>): RuleInput[] {
  return libraryRules
    .current()
    .list.map((rule) => ({ ...rule, users: rule.users.flatMap((id) => users.find(id)?.username ?? []) }))
}

/** The values of each rule on which a change can be based, by pattern. */
export const stateOfRules = (ports: Pick<ManageAccessPorts, 'libraryRules' | 'users'>): State =>
  Object.fromEntries(listedRules(ports).map(({ pattern, ...rule }) => [pattern, rule]))

/** Stores a rule, or replaces that of the same pattern. Throws validation_error, precondition_failed. */
export function setRule(ports: ManageAccessPorts, caller: Caller, input: RuleInput, ifMatch?: string): void {
  const { pattern, access, groups, users } = input
  if (access !== 'restricted' && groups.length + users.length > 0)
    throw invalidField(
      groups.length > 0 ? 'groups' : 'users',
      `must be empty with ${access}: only "restricted" names who may read`,
    )
  const ids = idsOf(ports, users)
  ports.atomically(() => {
    requireMatch(ifMatch, stateOfRules(ports), pattern)
    ports.libraryRules.set({ pattern, access, groups: [...new Set(groups)], users: ids })
    ports.audit.record({ actor: actorOf(caller), action: 'access.rule', subject: `${pattern} ${access}` })
  })
}

/** Removes the rule of a pattern. Throws not_found, precondition_failed. */
export function removeRule(ports: ManageAccessPorts, caller: Caller, pattern: string, ifMatch?: string): void {
  ports.atomically(() => {
    requireMatch(ifMatch, stateOfRules(ports), pattern)
    ports.libraryRules.remove(pattern)
    ports.audit.record({ actor: actorOf(caller), action: 'access.rule', subject: `${pattern} none` })
  })
}

/** Throws validation_error if the group exists. */
export function createGroup({ groups, audit, atomically }: ManageAccessPorts, caller: Caller, name: string): void {
  atomically(() => {
    groups.create(name)
    audit.record({ actor: actorOf(caller), action: 'group.create', subject: name })
  })
}

/** Removes a local group; rules that name it stay. Throws not_found. */
export function removeGroup({ groups, audit, atomically }: ManageAccessPorts, caller: Caller, name: string): void {
  atomically(() => {
    groups.remove(name)
    audit.record({ actor: actorOf(caller), action: 'group.delete', subject: name })
  })
}

/** The names of the members of a group, in the order of the alphabet. Throws not_found. */
export const membersOf = ({ groups, users }: Pick<ManageAccessPorts, 'groups' | 'users'>, name: string): string[] =>
  groups
    .members(name)
    .flatMap((id) => users.find(id)?.username ?? [])
    .sort()

/** Replaces the members of a local group. Throws not_found, validation_error. */
export function setMembers(ports: ManageAccessPorts, caller: Caller, name: string, usernames: string[]): void {
  const ids = idsOf(ports, usernames)
  ports.atomically(() => {
    ports.groups.setMembers(name, ids)
    ports.audit.record({ actor: actorOf(caller), action: 'group.members', subject: name })
  })
}

/** Throws validation_error for an unknown name. */
function idsOf({ users }: ManageAccessPorts, usernames: string[]): string[] {
  const byName = new Map(users.list().map(({ id, username }) => [username, id]))
  return [...new Set(usernames)].map((name) => {
    const id = byName.get(name)
    if (id === undefined) throw invalidField('users', `names "${name}", and there is no such user`)
    return id
  })
}
