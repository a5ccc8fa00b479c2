import { AppError } from '../../shared/errors.ts'
import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import { type MayReplacePorts, requireReplace } from '../access/may-replace.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { type ChangeSourcePorts, changeSource, type SourceChange } from '../jobs/change-source.ts'
import { findSource, type SourceAnswer } from '../jobs/source-answer.ts'

export type ChangeForCallerPorts = ChangeSourcePorts &
  MayReplacePorts & { audit: Pick<AuditLog, 'record'>; atomically: Atomically }

/** Throws forbidden for callers who may not replace the library, and what `changeSource` throws. */
export function changeSourceForCaller(
  ports: ChangeForCallerPorts,
  caller: Caller,
  id: LibraryId,
  change: SourceChange,
): SourceAnswer {
  const { library } = findSource(ports, id)
  requireReplace(ports, caller, library, 'change its source settings')
  if (change.private !== undefined && caller.holder?.role !== 'admin')
    throw new AppError('forbidden', 'Only an admin can change whether a library is private.')
  return ports.atomically(() => {
    const source = changeSource(ports, library, change)
    const record = (action: string) => ports.audit.record({ actor: actorOf(caller), action, subject: printLibraryId(library) })
    record('library.source')
    if (change.private !== undefined) record(change.private ? 'library.private' : 'library.public')
    return source
  })
}
