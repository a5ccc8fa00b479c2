import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { Caller } from '../access/caller.ts'
import { enqueueRefresh } from '../actions/enqueue-refresh.ts'
import type { ParsePorts } from '../actions/queue-parse.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { Delivery, Hook } from './hook.ts'
import type { HookStore } from './hook-store.ts'

export type QueueRefreshPorts = Omit<ParsePorts, 'catalog'> & {
  catalog: ParsePorts['catalog'] & Pick<InstallCatalog, 'libraries' | 'versions'>
  hooks: Pick<HookStore, 'find' | 'wait' | 'waiting' | 'stopWaiting'>
}

type QueuedRefresh = Pick<Delivery, 'outcome' | 'detail' | 'job'>

/**
 * Queues a refresh of a library, by its id. A refresh that has not begun serves any number of deliveries; while another job of the library runs, one
 * refresh is remembered for its end. Throws what `enqueueRefresh` throws.
 */
export async function queueHookRefresh(ports: QueueRefreshPorts, hook: Hook, library: string): Promise<QueuedRefresh> {
  const id = parseLibraryId(library)
  const active = ports.jobs.activeOf(libraryKey(id))
  if (active === undefined) {
    const { queueId: job } = await enqueueRefresh(ports, id, callerOf(hook))
    return { outcome: 'queued', detail: 'A refresh is queued.', job }
  }
  const isWhole = active.kind === 'parse' && parseLibraryId(active.project).version === undefined
  if (active.state === 'queued' && isWhole) return { outcome: 'joined', detail: 'The queued refresh serves it.', job: active.id }
  ports.hooks.wait(library, hook.id)
  return { outcome: 'follows', detail: 'A refresh follows the running job.', job: active.id }
}

/** Queues the remembered refreshes of libraries without an unfinished job. Runs when a job ends and when the server starts. */
export async function queueWaitingRefreshes(ports: QueueRefreshPorts & { log: Log }): Promise<void> {
  for (const { library, hook: hookId } of ports.hooks.waiting()) {
    const id = parseLibraryId(library)
    if (ports.jobs.activeOf(libraryKey(id))) continue
    ports.hooks.stopWaiting(library)
    const hook = ports.hooks.find(hookId)
    if (!hook || !ports.catalog.find(id)) continue
    try {
      await enqueueRefresh(ports, id, callerOf(hook))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      ports.log.warn({ library, error }, 'a webhook cannot refresh a library')
    }
  }
}

/** A webhook refreshes as a member does: it changes no settings. It takes turns in the queue as one caller. */
const callerOf = ({ id, name }: Hook): Caller => ({
  holder: { id: `webhook ${id}`, role: 'member', name: `webhook ${name}`, userId: null, username: null, via: 'webhook' },
  sentKey: false,
})
