import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

/** Says what was done with one repository, such as `Queued`, or why it was not added. */
export type AddResult = { done: string } | { problem: string }

/** Adds repositories one after the other. One that fails does not stop the others. `addOne` returns what was done. */
export function useAddMany<Source extends { libraryId: string }>(addOne: (source: Source) => Promise<string>) {
  const queryClient = useQueryClient()
  const [results, setResults] = useState<ReadonlyMap<string, AddResult>>(new Map())
  const add = useMutation({
    mutationFn: async (sources: readonly Source[]) => {
      for (const source of sources) {
        const result = await resultOf(() => addOne(source))
        setResults((before) => new Map(before).set(source.libraryId, result))
      }
    },
    onSuccess: () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'recognized' }),
  })
  return { add, results }
}

async function resultOf(add: () => Promise<string>): Promise<AddResult> {
  try {
    return { done: await add() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
