import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './api.ts'

const readBackups = () => answerOf(api.backups.$get())
const pollMs = 1_000

/** The stored backups, asked again while one is made. */
export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: readBackups,
  refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
})

export type BackupList = Awaited<ReturnType<typeof readBackups>>
