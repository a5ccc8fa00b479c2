import { queryOptions } from '@tanstack/react-query'
import { answerOf, stateOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

/** Each rule with the ETag of the list, on which a change is based. */
async function readRules() {
  const { rules, etag } = await stateOf(api['library-rules'].$get())
  return rules.map((rule) => ({ ...rule, etag }))
}

/** The rules about who may read which libraries, the most specific first. */
export const libraryRulesQuery = queryOptions({ queryKey: ['library-rules'], queryFn: readRules })

export type ListedRule = Awaited<ReturnType<typeof readRules>>[number]

const readGroups = async () => (await answerOf(api.groups.$get())).groups

/** All groups by name. */
export const groupsQuery = queryOptions({ queryKey: ['groups'], queryFn: readGroups })

export type ListedGroup = Awaited<ReturnType<typeof readGroups>>[number]

/** The user names of the members of a group. */
export const membersQuery = (name: string) =>
  queryOptions({
    queryKey: ['groups', name],
    queryFn: async () => (await answerOf(api.groups[':name'].members.$get({ param: { name } }))).users,
  })
