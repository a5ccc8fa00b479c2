import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import { type HidePrivatePorts, hidePrivate } from '../access/hide-private.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { type RemoveLibraryPorts, removeLibrary } from '../jobs/remove-library.ts'

export type DeletePorts = HidePrivatePorts & RemoveLibraryPorts & { audit: Pick<AuditLog, 'record'> }

/** Throws what `hidePrivate` and `removeLibrary` throw. */
export async function deleteForCaller(ports: DeletePorts, caller: Caller, id: LibraryId): Promise<void> {
  const record = () => ports.audit.record({ actor: actorOf(caller), action: 'library.delete', subject: printLibraryId(id) })
  await hidePrivate(ports, caller, id, (seen) => removeLibrary(seen, id, record))
}
