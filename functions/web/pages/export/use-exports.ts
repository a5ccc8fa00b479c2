import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'
import { exportsQuery, type TeamExports } from './export-queries.ts'

/** An export whose progress is shown. `isOwn`: this page has started it, so it downloads the zip. */
export type RunningExport = { id: string; selection: string | null; isOwn: boolean }

/** The exports that this page has started, and those that others are building. */
export function useExports(team: string, { exports }: TeamExports) {
  const queryClient = useQueryClient()
  const [own, setOwn] = useState<readonly RunningExport[]>([])
  const others = exports.filter(({ id, state }) => state === 'building' && !own.some((each) => each.id === id))
  const running = [...own, ...others.map(({ id, selection }) => ({ id, selection, isOwn: false }))]
  return {
    running,
    async start(selection: string) {
      try {
        const { id } = await answerOf(api.teamspaces[':team'].exports.$post({ param: { team }, json: { selection } }))
        setOwn((before) => [{ id, selection, isOwn: true }, ...before.filter((each) => each.selection !== selection)])
      } finally {
        // A failure may have ended the license for the whole page.
        await queryClient.invalidateQueries({ queryKey: exportsQuery(team).queryKey })
      }
    },
  }
}
