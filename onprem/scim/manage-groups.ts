import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { maxMembers } from '../accounts/group-store.ts'
import type { MemberChange, ProvisionedGroup, ProvisionedGroups } from '../accounts/provisioned-groups.ts'
import type { ProvisionedUsers } from '../accounts/provisioned-users.ts'
import { groupSchema } from './group-resource.ts'
import type { ScimIssuer } from './issuer.ts'
import { attributesOf, externalIdOf, readResource, textOf } from './read-body.ts'
import { readPatch, rejectReadOnly } from './read-patch.ts'
import { invalid, ScimError } from './scim-error.ts'

export type ManageGroupsPorts = {
  provisionedUsers: Pick<ProvisionedUsers, 'userIds'>
  provisionedGroups: ProvisionedGroups
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** `members`: `all` go first, then those in `leave`; those in `join` are added. They are named by the ids of provisioned users. */
type GroupChange = { displayName?: string; externalId?: string | null | undefined; members?: Members }
type Members = { all: boolean; leave: Set<string>; join: Set<string> }

/** Throws ScimError. */
export function createGroup(ports: ManageGroupsPorts, issuer: ScimIssuer, body: unknown): ProvisionedGroup {
  const attributes = readResource(body, groupSchema)
  const names = {
    displayName: textOf('displayName', attributes.get('displayname')),
    externalId: externalIdOf(attributes.get('externalid')) ?? null,
  }
  const join = memberIds(attributes.get('members'))
  return ports.atomically(() => {
    rejectTaken(ports, issuer, names)
    const id = ports.provisionedGroups.add(issuer, names)
    record(ports, issuer, 'group.create', `${issuer.name}:${names.displayName}`)
    if (join.length > 0) changeMembers(ports, issuer, id, { all: false, leave: new Set(), join: new Set(join) })
    return findGroup(ports, issuer, id)
  })
}

/** Throws ScimError. */
export function replaceGroup(ports: ManageGroupsPorts, issuer: ScimIssuer, id: string, body: unknown): ProvisionedGroup {
  return changeGroup(ports, issuer, id, () => {
    const attributes = readResource(body, groupSchema)
    const members = attributes.get('members')
    return {
      displayName: textOf('displayName', attributes.get('displayname')),
      externalId: externalIdOf(attributes.get('externalid')),
      // A client that excludes the members from what it reads puts a group back without them.
      ...(members !== undefined && { members: { all: true, leave: new Set<string>(), join: new Set(memberIds(members)) } }),
    }
  })
}

/** Throws ScimError. */
export function patchGroup(ports: ManageGroupsPorts, issuer: ScimIssuer, id: string, body: unknown): ProvisionedGroup {
  return changeGroup(ports, issuer, id, () => readGroupPatch(body, id))
}

/** Deletes a group; rules that name it stay and give nothing to anybody. Throws ScimError. */
export function deleteGroup(ports: ManageGroupsPorts, issuer: ScimIssuer, id: string): void {
  ports.atomically(() => {
    const { name } = findGroup(ports, issuer, id)
    ports.provisionedGroups.remove(id)
    record(ports, issuer, 'group.delete', name)
  })
}

/** Throws ScimError if the issuer has not provisioned such a group. */
export function findGroup(
  { provisionedGroups }: Pick<ManageGroupsPorts, 'provisionedGroups'>,
  issuer: ScimIssuer,
  id: string,
): ProvisionedGroup {
  const group = provisionedGroups.find(issuer, id)
  if (!group) throw new ScimError(404, 'There is no group with this id.')
  return group
}

function readGroupPatch(body: unknown, id: string): GroupChange {
  const change: GroupChange = {}
  const members: Members = { all: false, leave: new Set(), join: new Set() }
  for (const operation of readPatch(body)) {
    rejectReadOnly(operation, id)
    const { op, path, value } = operation
    switch (path.attribute) {
      case 'displayname':
        if (op === 'remove') throw invalid('mutability', 'displayName cannot be removed.')
        change.displayName = textOf('displayName', value)
        break
      case 'externalid':
        change.externalId = op === 'remove' ? null : externalIdOf(value)
        break
      case 'members':
        changeMemberIds(members, op, path.filter, value)
        change.members = members
        break
    }
  }
  return change
}

function changeMemberIds(
  members: Members,
  op: 'add' | 'replace' | 'remove',
  filter: { attribute: string; value: string } | undefined,
  value: unknown,
): void {
  if (filter !== undefined && (op !== 'remove' || filter.attribute !== 'value'))
    throw invalid('invalidPath', 'Only remove may select members, by members[value eq "id"].')
  const { leave, join } = members
  if (op === 'replace' || (op === 'remove' && filter === undefined && value == null)) {
    members.all = true
    leave.clear()
    join.clear()
  }
  if (op === 'remove') {
    for (const id of filter ? [filter.value] : memberIds(value)) {
      leave.add(id)
      join.delete(id)
    }
  } else {
    for (const id of memberIds(value)) {
      join.add(id)
      leave.delete(id)
    }
  }
}

/** The ids of provisioned users in a list of members, or in a single one. */
function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map((member) => {
    const id = typeof member === 'string' ? member : attributesOf(member).get('value')
    if (typeof id !== 'string' || id === '') throw invalid('invalidValue', 'Each member must have the id of a user as its value.')
    return id
  })
}

function changeGroup(ports: ManageGroupsPorts, issuer: ScimIssuer, id: string, read: () => GroupChange): ProvisionedGroup {
  const { provisionedGroups, atomically } = ports
  findGroup(ports, issuer, id)
  const change = read()
  return atomically(() => {
    const before = findGroup(ports, issuer, id)
    const names = {
      displayName: change.displayName ?? before.displayName,
      externalId: change.externalId === undefined ? before.externalId : change.externalId,
    }
    if (names.displayName !== before.displayName || names.externalId !== before.externalId) {
      rejectTaken(ports, issuer, names, id)
      provisionedGroups.change(issuer, id, names)
      record(
        ports,
        issuer,
        'group.rename',
        before.displayName === names.displayName ? before.name : `${before.name} to ${issuer.name}:${names.displayName}`,
      )
    }
    if (change.members) changeMembers(ports, issuer, id, change.members)
    return findGroup(ports, issuer, id)
  })
}

/** Removing somebody who is no member, or no longer a user, changes nothing, because providers repeat requests. */
function changeMembers(ports: ManageGroupsPorts, issuer: ScimIssuer, id: string, { all, leave, join }: Members): void {
  const { provisionedUsers, provisionedGroups } = ports
  const users = provisionedUsers.userIds(issuer.address, [...join, ...leave])
  const missing = [...join].find((each) => !users.has(each))
  if (missing !== undefined) throw invalid('invalidValue', `There is no user with the id ${missing.slice(0, 100)}.`)
  const idsOf = (ids: Set<string>) => [...ids].flatMap((each) => users.get(each) ?? [])
  const change: MemberChange = { all, leave: idsOf(leave), join: idsOf(join) }
  provisionedGroups.changeMembers(issuer, id, change)
  const group = findGroup(ports, issuer, id)
  if (group.members > maxMembers) throw invalid('invalidValue', `A group has at most ${maxMembers} members.`)
  record(ports, issuer, 'group.members', group.name)
}

function rejectTaken(
  { provisionedGroups }: ManageGroupsPorts,
  issuer: ScimIssuer,
  names: { displayName: string; externalId: string | null },
  id?: string,
): void {
  for (const field of ['displayName', 'externalId'] as const) {
    const value = names[field]
    const isTaken =
      value !== null && provisionedGroups.page(issuer, [{ field, value }], 0, 1).groups.some((group) => group.id !== id)
    if (isTaken) throw new ScimError(409, `There is a group with this ${field}.`, 'uniqueness')
  }
}

const record = ({ audit }: Pick<ManageGroupsPorts, 'audit'>, { actor }: ScimIssuer, action: string, subject: string) =>
  audit.record({ actor, action, subject })
