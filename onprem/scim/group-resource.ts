import type { GroupCondition, ProvisionedGroup, ProvisionedGroups } from '../accounts/provisioned-groups.ts'
import type { ScimIssuer } from './issuer.ts'
import { type ListQuery, listAnswer, type Resource, type Shown, selected } from './list-answer.ts'
import { parseFilter } from './parse-filter.ts'
import { invalid } from './scim-error.ts'

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** The members of all groups of a page, unless its first group alone has more. */
const maxListedMembers = 20_000

type Ports = { provisionedGroups: Pick<ProvisionedGroups, 'page' | 'membersOf'> }

/** A page of groups, which ends earlier if they have very many members. Throws ScimError. */
export function listGroups(ports: Ports, issuer: ScimIssuer, query: ListQuery, base: string): Resource {
  const { startIndex, count } = query
  const { groups, total } = ports.provisionedGroups.page(issuer, conditionsOf(query.filter), startIndex - 1, count)
  const listed = query.has('members') ? untilTooMany(groups) : groups
  return listAnswer(shownGroups(ports, listed, query, base), total, startIndex)
}

function untilTooMany(groups: readonly ProvisionedGroup[]): readonly ProvisionedGroup[] {
  let members = 0
  const end = groups.findIndex((group, at) => {
    members += group.members
    return members > maxListedMembers && at > 0
  })
  return end < 0 ? groups : groups.slice(0, end)
}

/** Groups as a provider reads them, with what it asks for. */
export function shownGroups(
  { provisionedGroups }: Pick<Ports, 'provisionedGroups'>,
  groups: readonly ProvisionedGroup[],
  shown: Shown,
  base: string,
): Resource[] {
  const members = shown.has('members') ? provisionedGroups.membersOf(groups.map(({ id }) => id)) : new Map()
  return groups.map(({ id, displayName, externalId, createdAt, changedAt }) =>
    selected(shown, {
      schemas: [groupSchema],
      id,
      ...(externalId !== null && { externalId }),
      displayName,
      members: (members.get(id) ?? []).map((member: { id: string; userName: string }) => ({
        value: member.id,
        $ref: `${base}/Users/${member.id}`,
        display: member.userName,
        type: 'User',
      })),
      meta: { resourceType: 'Group', created: createdAt, lastModified: changedAt, location: `${base}/Groups/${id}` },
    }),
  )
}

const fields: Record<string, GroupCondition['field']> = {
  id: 'id',
  displayname: 'displayName',
  externalid: 'externalId',
  members: 'member',
  'members.value': 'member',
}

function conditionsOf(filter: string | undefined): GroupCondition[] {
  if (filter === undefined) return []
  return parseFilter(filter).map(({ attribute, value }) => {
    const field = Object.hasOwn(fields, attribute) ? fields[attribute] : undefined
    if (field === undefined) throw invalid('invalidFilter', 'Groups are found by id, displayName, externalId or members.value.')
    return { field, value }
  })
}
