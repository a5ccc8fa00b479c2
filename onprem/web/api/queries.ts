import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { answerOf, ifMatch, stateOf } from '../../../shared/web/api/answer-of.ts'
import { changeState } from '../../../shared/web/api/change-state.ts'
import type { Period } from '../../../shared/web/usage/usage-search.ts'
import { api } from './api.ts'

const readAbout = () => answerOf(api.about.$get())

/** Versions, and whether other machines can reach the server. */
export const aboutQuery = queryOptions({ queryKey: ['about'], queryFn: readAbout, staleTime: 60_000 })

export type About = Awaited<ReturnType<typeof readAbout>>

const readBackups = () => answerOf(api.backups.$get())
const pollMs = 1_000

/** The stored backups, asked again while one is made. */
export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: readBackups,
  refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
})

export type BackupList = Awaited<ReturnType<typeof readBackups>>

const readChannels = async () => (await answerOf(api.notifications.$get())).channels

/** The channels of notifications, with what waits and what is wrong. */
export const channelsQuery = queryOptions({ queryKey: ['notifications'], queryFn: readChannels })

export type ChannelState = Awaited<ReturnType<typeof readChannels>>[number]

const readModels = () => answerOf(api.models.$get())

/** The local models, asked again while one is downloaded. */
export const modelsQuery = queryOptions({
  queryKey: ['settings', 'models'],
  queryFn: readModels,
  refetchInterval: ({ state }) => (state.data?.models.some((model) => model.state === 'downloading') ? pollMs : false),
})

export type ModelList = Awaited<ReturnType<typeof readModels>>
export type LocalModel = ModelList['models'][number]

/** Version, license and configured services. */
export const healthQuery = queryOptions({ queryKey: ['health'], queryFn: () => answerOf(api.health.$get()), staleTime: 60_000 })

/** The keys that the user may see: those of everyone for an admin. */
export const keyQuery = queryOptions({ queryKey: ['keys'], queryFn: () => answerOf(api.keys.$get()) })

const readSettings = () => stateOf(api.settings.$get())

/** Every setting by its name. */
export const settingsQuery = queryOptions({ queryKey: ['settings'], queryFn: readSettings })

export type ShownSettings = Awaited<ReturnType<typeof readSettings>>
export type SettingName = Exclude<keyof ShownSettings, 'etag'>

export type SetupSteps = InferResponseType<typeof api.setup.$get, 200>['steps']
export type SetupStep = SetupSteps[number]['name']

/** The steps of the first setup that are done or skipped. Only admins may read them. */
export const setupQuery = queryOptions({ queryKey: ['setup'], queryFn: () => answerOf(api.setup.$get()) })

const sourceRoute = api.projects[':owner'][':repo'].source
const readSource = (id: string) => stateOf(sourceRoute.$get({ param: paramOf(id) }))
export type Source = Awaited<ReturnType<typeof readSource>>
type SourceChange = InferRequestType<typeof sourceRoute.$patch>['json']

/** The source settings of a library, by its id without the first slash. */
export const sourceQuery = (id: string) => queryOptions({ queryKey: ['libraries', 'source', id], queryFn: () => readSource(id) })

/** Changes source settings that were read with this ETag. Throws Conflict if one of them has changed since. */
export const changeSource = (id: string, etag: string, json: SourceChange) =>
  changeState(
    etag,
    (names) => names.filter((name) => name in json),
    (based) => stateOf(sourceRoute.$patch({ param: paramOf(id), json }, ifMatch(based))),
  )

function paramOf(id: string) {
  const [owner = '', repo = ''] = id.split('/')
  return { owner, repo }
}

export type UsageRequest = { days: Period; library: string }
export type UsageAnswer = Exclude<InferResponseType<typeof api.usage.$get, 200>, string>

const usageCall = ({ days, library }: UsageRequest, format: 'json' | 'csv') =>
  api.usage.$get({ query: { days: String(days), format, ...(library !== '' && { libraryId: library }) } })

/** The usage of one library, or of all if `library` is empty. */
export const usageQuery = (request: UsageRequest) =>
  queryOptions({
    queryKey: ['usage', request.library, request.days],
    queryFn: async () => {
      const answer: unknown = await answerOf(usageCall(request, 'json'))
      return answer as UsageAnswer
    },
    placeholderData: keepPreviousData,
  })

/** The requests per day of libraries in 30 days. */
export const dailyUsageQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['usage', 'daily', ids],
    queryFn: () => answerOf(api.usage.daily.$get({ query: { libraryIds: ids.join(',') } })),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  })

export const usageCsv = (request: UsageRequest) => usageCall(request, 'csv')

const readGitops = () => answerOf(api.gitops.status.$get())

/** The followed repository, and how the install differs from its file. */
export const gitopsQuery = queryOptions({ queryKey: ['gitops'], queryFn: readGitops, refetchInterval: 10_000 })

export type GitopsStatus = Awaited<ReturnType<typeof readGitops>>

const readHooks = () => answerOf(api.hooks.$get())

/** The webhooks, without their secrets. */
export const webhooksQuery = queryOptions({ queryKey: ['hooks'], queryFn: readHooks })

export type ListedHook = Awaited<ReturnType<typeof readHooks>>['hooks'][number]

/** The last deliveries of a webhook. */
export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['hooks', id, 'deliveries'],
    queryFn: () => answerOf(api.hooks[':id'].deliveries.$get({ param: { id } })),
  })

type FeedbackRequest = InferRequestType<typeof api.feedback.$get>['query']

/** One page of the questions without an answer and the ratings. */
export const feedbackQuery = (query: FeedbackRequest) =>
  queryOptions({
    queryKey: ['feedback', query],
    queryFn: async () => {
      const answer: unknown = await answerOf(api.feedback.$get({ query }))
      return answer as FeedbackPage
    },
    placeholderData: keepPreviousData,
  })

export const feedbackCsv = () => api.feedback.$get({ query: { format: 'csv' } })

type FeedbackPage = Exclude<InferResponseType<typeof api.feedback.$get, 200>, string>
export type ListedFeedback = FeedbackPage['feedback'][number]

/** Each user with the ETag of the list, on which a change is based. */
async function readUsers() {
  const { users, etag } = await stateOf(api.users.$get())
  return users.map((user) => ({ ...user, etag }))
}

/** Everyone who can sign in, and disabled users. */
export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: readUsers })

export type ListedUser = Awaited<ReturnType<typeof readUsers>>[number]
