import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

const routes = api.teamspaces[':team']

export const teamKey = (team: string, ...part: string[]) => ['teamspaces', team, ...part]

export type Member = InferResponseType<typeof routes.members.$get, 200>['members'][number]
export type Role = Member['role']

export const membersQuery = (team: string) =>
  queryOptions({
    queryKey: teamKey(team, 'members'),
    queryFn: async () => (await answerOf(routes.members.$get({ param: { team } }))).members,
  })

export type Invitation = InferResponseType<typeof routes.invites.$get, 200>['invites'][number]

export const invitesQuery = (team: string) =>
  queryOptions({
    queryKey: teamKey(team, 'invites'),
    queryFn: async () => (await answerOf(routes.invites.$get({ param: { team } }))).invites,
  })

export type TeamKey = InferResponseType<typeof routes.keys.$get, 200>['keys'][number]

export const teamKeysQuery = (team: string) =>
  queryOptions({
    queryKey: teamKey(team, 'keys'),
    queryFn: async () => (await answerOf(routes.keys.$get({ param: { team } }))).keys,
  })

export type AuditEntry = InferResponseType<typeof routes.audit.$get, 200>['entries'][number]

export const auditQuery = (team: string) =>
  queryOptions({
    queryKey: teamKey(team, 'audit'),
    queryFn: async () => (await answerOf(routes.audit.$get({ param: { team } }))).entries,
    // Each change adds an entry.
    staleTime: 0,
  })

export type Limits = InferResponseType<typeof routes.limits.$get, 200>

export const limitsQuery = (team: string) =>
  queryOptions({
    queryKey: teamKey(team, 'limits'),
    queryFn: () => answerOf(routes.limits.$get({ param: { team } })),
  })
