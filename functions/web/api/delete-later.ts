import type { QueryKey } from '@tanstack/react-query'
import { showToast } from '../../../shared/web/toast.tsx'
import { queryClient } from './query-client.ts'

/** The time in which a toast with an action is shown. */
const undoMs = 10_000

type Deletion = {
  /** The hidden item, such as `team-1 /acme/widgets@v1`. */
  item: string
  /** Its name in a sentence. */
  name: string
  /** The result for a sentence, as a participle: `deleted`. */
  becomes: string
  /** The queries that leave it out. */
  shown: QueryKey
  /** Deletes it on the server. */
  send: (init: RequestInit) => Promise<unknown>
}

const pending = new Map<string, { timer: ReturnType<typeof setTimeout>; send: (init: RequestInit) => Promise<void> }>()
const hidden = new Set<string>()

/** True for an item that is deleted in a moment. */
export const isHidden = (item: string): boolean => hidden.has(item)

/**
 * Hides an item and deletes it ten seconds later, unless the user undoes that: the hosted half has no process that could wait. Leaving
 * the page deletes at once.
 */
export async function deleteLater({ item, name, becomes, shown, send }: Deletion): Promise<void> {
  const refresh = () => queryClient.invalidateQueries({ queryKey: shown })
  const show = () => {
    hidden.delete(item)
    return refresh()
  }
  const sendNow = async (init: RequestInit) => {
    pending.delete(item)
    await send(init).catch((error: Error) => showToast({ message: `${name} was not ${becomes}. ${error.message}` }))
    await show()
  }
  hidden.add(item)
  pending.set(item, { send: sendNow, timer: setTimeout(() => void sendNow({}), undoMs) })
  await refresh()
  const undo = () => {
    const deletion = pending.get(item)
    clearTimeout(deletion?.timer)
    if (!pending.delete(item)) return void showToast({ message: `${name} is already ${becomes}.` })
    void showToast({ message: `${name} stays.` })
    void show()
  }
  void showToast({ message: `${name} will be ${becomes} in 10 seconds.`, action: { label: 'Undo', run: undo } })
}

/** Deletes all that waits, for example before the session ends. */
export async function deleteNow(init: RequestInit = {}): Promise<void> {
  const deletions = [...pending.values()]
  for (const { timer } of deletions) clearTimeout(timer)
  await Promise.all(deletions.map(({ send }) => send(init)))
}

// `keepalive`: the request outlives the page.
addEventListener('pagehide', () => void deleteNow({ keepalive: true }))
