import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'
import { type RecognizedRepository, sourceOf } from './recognized-query.ts'

/** The result of one repository: `queued`, or why it was not. */
export type AddResult = 'queued' | { problem: string }

/** Adds repositories one after the other. One that fails does not stop the others. */
export function useAddMany() {
  const queryClient = useQueryClient()
  const [results, setResults] = useState<ReadonlyMap<string, AddResult>>(new Map())
  const add = useMutation({
    mutationFn: async (repositories: readonly Pick<RecognizedRepository, 'libraryId' | 'repoUrl' | 'folders' | 'state'>[]) => {
      for (const repository of repositories) {
        const result = await addOne(repository)
        setResults((before) => new Map(before).set(repository.libraryId, result))
      }
    },
    onSuccess: () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'recognized' }),
  })
  return { add, results }
}

async function addOne(repository: Pick<RecognizedRepository, 'repoUrl' | 'folders' | 'state'>): Promise<AddResult> {
  try {
    await answerOf(api.parse.$post({ json: sourceOf(repository) }))
    return 'queued'
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
