import { queryOptions } from '@tanstack/react-query'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { answerOf, api } from './api.ts'

const route = api.projects[':owner'][':repo'].source
export type Source = InferResponseType<typeof route.$get, 200>
export type SourceChange = InferRequestType<typeof route.$patch>['json']

/** The source settings of a library, by its id without the first slash. */
export const sourceQuery = (id: string) =>
  queryOptions({ queryKey: ['projects', 'source', id], queryFn: () => answerOf(route.$get({ param: paramOf(id) })) })

export const changeSource = (id: string, json: SourceChange) => answerOf(route.$patch({ param: paramOf(id), json }))

function paramOf(id: string) {
  const [owner = '', repo = ''] = id.split('/')
  return { owner, repo }
}
