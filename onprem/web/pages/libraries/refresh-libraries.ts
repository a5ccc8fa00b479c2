import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { countOf } from '../../../../shared/web/format.ts'
import { api } from '../../api/api.ts'

/** Queues a refresh of each library, and returns how many are queued and why the first other one is not. */
export async function refreshLibraries(ids: readonly string[]): Promise<string> {
  let queued = 0
  let reason = ''
  for (const id of ids)
    try {
      await answerOf(api.projects[':id{.+}'].refresh.$post({ param: { id: id.slice(1) } }))
      queued++
    } catch (error) {
      reason ||= (error as Error).message
    }
  return [queued > 0 || reason === '' ? `${countOf(queued, 'library', 'libraries')} queued.` : '', reason]
    .filter(Boolean)
    .join(' ')
}
