import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'

/** A text that a person typed, pasted or dropped. */
export type Pasted = { text: string; fileName?: string }

const route = api.parse.recognize.$post
export type RecognizedSources = InferResponseType<typeof route, 200>
export type RecognizedRepository = RecognizedSources['repositories'][number]

export const maxPastedBytes = 10 * 2 ** 20

/** The repositories that a text names. A key as large as a file is kept only while its page is open. */
export const recognizedQuery = ({ text, fileName }: Pasted) =>
  queryOptions({
    queryKey: ['recognized', fileName ?? '', text],
    queryFn: () => answerOf(api.parse.recognize.$post({ json: { text, ...(fileName !== undefined && { fileName }) } })),
    gcTime: 0,
    retry: false,
  })

/** Popular libraries, and which of them are here. */
export const knownLibrariesQuery = queryOptions({
  queryKey: ['known-libraries'],
  queryFn: () => answerOf(api['known-libraries'].$get()),
})

export type KnownLibrary = InferResponseType<(typeof api)['known-libraries']['$get'], 200>['libraries'][number]

/** The request that adds a recognised repository. A library that is here keeps its folders. */
export const sourceOf = ({ repoUrl, folders, state }: Pick<RecognizedRepository, 'repoUrl' | 'folders' | 'state'>) => ({
  repoUrl,
  ...(state === 'absent' && folders.length > 0 && { folders }),
})
