import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import type { RecognizedRepository, Recognizer } from '../../../../shared/web/add/pasted.ts'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'

export const recognizer: Recognizer = {
  recognize: (json) => answerOf(api.parse.recognize.$post({ json })),
  maxBytes: 10 * 2 ** 20,
}

/** Popular libraries, and which of them are here. */
export const knownLibrariesQuery = queryOptions({
  queryKey: ['known-libraries'],
  queryFn: () => answerOf(api['known-libraries'].$get()),
})

export type KnownLibrary = InferResponseType<(typeof api)['known-libraries']['$get'], 200>['libraries'][number]

type Source = Pick<RecognizedRepository, 'repoUrl' | 'folders' | 'state'>

/** The request that adds a recognised repository. A library that is here keeps its folders. */
export const sourceOf = ({ repoUrl, folders, state }: Source) => ({
  repoUrl,
  ...(state === 'absent' && folders.length > 0 && { folders }),
})

/** Queues a recognised repository, with the version that named it if there is one. */
export const queueSource = async (source: Source, version?: string): Promise<string> => {
  await answerOf(
    api.parse.$post({ json: { ...sourceOf(source), ...(version !== undefined && { optionalVersions: [version] }) } }),
  )
  return 'Queued'
}
