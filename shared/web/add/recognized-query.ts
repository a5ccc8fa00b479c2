import { queryOptions } from '@tanstack/react-query'
import type { Pasted, Recognizer } from './pasted.ts'

/** The repositories that a text names. A key as large as a file is kept only while its page is open. */
export const recognizedQuery = ({ recognize }: Pick<Recognizer, 'recognize'>, { text, fileName }: Pasted) =>
  queryOptions({
    queryKey: ['recognized', fileName ?? '', text],
    queryFn: () => recognize({ text, ...(fileName !== undefined && { fileName }) }),
    gcTime: 0,
    retry: false,
  })
