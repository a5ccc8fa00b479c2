import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../api/api.ts'
import { liveEvents } from './live-events.ts'

/** The frame calls this once: lists of jobs and libraries follow the server on every page. */
export function useLiveEvents(): void {
  const queryClient = useQueryClient()
  useEffect(() => liveEvents(queryClient, api.events.$url().href), [queryClient])
}
