import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import { type DeclaredPorts, rejectDeclared } from '../access/declared-in-git.ts'
import { type HidePrivatePorts, hidePrivate } from '../access/hide-private.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { type RemoveLibraryPorts, removable, removeStored } from './remove-library.ts'
import type { UndoableDeletions } from './undoable-deletions.ts'

export type DeletePorts = HidePrivatePorts &
  DeclaredPorts &
  RemoveLibraryPorts & { audit: Pick<AuditLog, 'record'>; deletions: Pick<UndoableDeletions, 'hide'> }

/**
 * Deletes a library, or hides it for `undo` seconds first. Returns whether the deletion can be undone: there is nothing to bring back of a
 * library without content. Throws what `hidePrivate`, `rejectDeclared` and `removable` throw.
 */
export async function deleteForCaller(ports: DeletePorts, caller: Caller, id: LibraryId, undo = 0): Promise<boolean> {
  const record = () => ports.audit.record({ actor: actorOf(caller), action: 'library.delete', subject: printLibraryId(id) })
  return hidePrivate(ports, caller, id, async (seen) => {
    rejectDeclared(seen, id)
    const isUndoable = undo > 0 && caller.holder !== undefined && seen.catalog.find(id) !== undefined
    if (isUndoable) ports.deletions.hide(caller, id, undo, record)
    else await removeStored(seen, removable(seen, id), record)
    return isUndoable
  })
}
