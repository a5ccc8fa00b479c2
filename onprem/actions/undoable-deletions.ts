import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId, versionKey } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Actor, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { type RemoveLibraryPorts, removable, removeStored } from './remove-library.ts'

/** Deletions that can be undone for some seconds: the library is hidden at once and deleted after that, or at the next start. */
export type UndoableDeletions = {
  /** `record` runs in the same transaction. Throws what `removable` throws. */
  hide(caller: Caller, requested: LibraryId, seconds: number, record: () => void): void
  /** Shows the library again. Throws not_found if it is deleted, or if another caller deleted it. */
  undo(caller: Caller, id: LibraryId): void
  /** Deletes a hidden library and its hidden versions now, because the library is added or refreshed again. */
  finish(id: LibraryId): void
  /** Deletes everything that an earlier process has left hidden. */
  finishAll(): Promise<void>
}

type Ports = RemoveLibraryPorts & {
  catalog: Pick<InstallCatalog, 'hide' | 'show' | 'hidden'>
  audit: Pick<AuditLog, 'record'>
  log: Log
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

type Pending = { id: LibraryId; actor: Actor; timer: NodeJS.Timeout }

export function undoableDeletions(ports: Ports): UndoableDeletions {
  const { catalog, audit, atomically, log, stopping, now } = ports
  const pending = new Map<string, Pending>()
  stopping.addEventListener('abort', () => {
    for (const { timer } of pending.values()) clearTimeout(timer)
  })
  const forget = (id: LibraryId) => {
    clearTimeout(pending.get(versionKey(id))?.timer)
    pending.delete(versionKey(id))
  }
  const remove = (id: LibraryId) => {
    forget(id)
    return removeStored(ports, id)
  }
  const removeLogged = (id: LibraryId) =>
    void remove(id).catch((error: unknown) => log.error({ error, library: printLibraryId(id) }, 'content cannot be deleted'))
  return {
    hide(caller, requested, seconds, record) {
      const id = removable(ports, requested)
      atomically(() => {
        catalog.hide(id, now())
        record()
      })
      const timer = setTimeout(() => removeLogged(id), seconds * 1000)
      pending.set(versionKey(id), { id, actor: actorOf(caller), timer })
    },
    undo(caller, id) {
      const deletion = pending.get(versionKey(id))
      if (deletion?.actor.id !== actorOf(caller).id) throw notPending(id)
      atomically(() => {
        catalog.show(deletion.id)
        audit.record({ actor: deletion.actor, action: 'library.restore', subject: printLibraryId(deletion.id) })
      })
      forget(id)
    },
    finish(library) {
      const key = libraryKey(library)
      for (const { id } of [...pending.values()]) if (libraryKey(id) === key) removeLogged(id)
    },
    async finishAll() {
      for (const id of catalog.hidden()) await remove(id)
    },
  }
}

const notPending = (id: LibraryId): AppError =>
  new AppError('not_found', `The deletion of ${printLibraryId(id)} can no longer be undone. Add the library again.`)
