import type { ProvisionedGroups } from '../accounts/provisioned-groups.ts'
import type { ProvisionedUser, ProvisionedUsers, UserCondition } from '../accounts/provisioned-users.ts'
import type { ScimIssuer } from './issuer.ts'
import { type ListQuery, listAnswer, type Resource, type Shown, selected } from './list-answer.ts'
import { parseFilter } from './parse-filter.ts'
import { invalid } from './scim-error.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

type Ports = { provisionedUsers: Pick<ProvisionedUsers, 'page'>; provisionedGroups: Pick<ProvisionedGroups, 'groupsOf'> }

/** A page of users. Addresses of e-mail are not stored, so no user has one that a filter names. Throws ScimError. */
export function listUsers(ports: Ports, issuer: ScimIssuer, query: ListQuery, base: string): Resource {
  const { startIndex, count } = query
  const { users, total } = ports.provisionedUsers.page(issuer.address, conditionsOf(query.filter), startIndex - 1, count)
  return listAnswer(shownUsers(ports, users, query, base), total, startIndex)
}

/** Users as a provider reads them, with what it asks for. */
export function shownUsers(
  { provisionedGroups }: Pick<Ports, 'provisionedGroups'>,
  users: readonly ProvisionedUser[],
  shown: Shown,
  base: string,
): Resource[] {
  const groups = shown.has('groups') ? provisionedGroups.groupsOf(users.map(({ userId }) => userId)) : new Map()
  return users.map(({ id, userId, userName, externalId, active, createdAt, changedAt }) =>
    selected(shown, {
      schemas: [userSchema],
      id,
      ...(externalId !== null && { externalId }),
      userName,
      active,
      groups: (groups.get(userId) ?? []).map((group: { id: string; displayName: string }) => ({
        value: group.id,
        $ref: `${base}/Groups/${group.id}`,
        display: group.displayName,
      })),
      meta: { resourceType: 'User', created: createdAt, lastModified: changedAt, location: `${base}/Users/${id}` },
    }),
  )
}

const fields: Record<string, UserCondition['field']> = {
  id: 'id',
  username: 'userName',
  externalid: 'externalId',
  emails: 'none',
  'emails.value': 'none',
}

function conditionsOf(filter: string | undefined): UserCondition[] {
  if (filter === undefined) return []
  return parseFilter(filter).map(({ attribute, value }) => {
    const field = Object.hasOwn(fields, attribute) ? fields[attribute] : undefined
    if (field === undefined) throw invalid('invalidFilter', 'Users are found by id, userName, externalId or emails.value.')
    return { field, value }
  })
}
