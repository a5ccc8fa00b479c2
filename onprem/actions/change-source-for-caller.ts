import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { type ChangeSourcePorts, changeSource, type SourceChange } from '../jobs/change-source.ts'
import type { SourceAnswer } from '../jobs/source-answer.ts'

export type ChangeForCallerPorts = ChangeSourcePorts & { audit: Pick<AuditLog, 'record'> }

/** Throws what `changeSource` throws. */
export function changeSourceForCaller(
  ports: ChangeForCallerPorts,
  caller: Caller,
  id: LibraryId,
  change: SourceChange,
): SourceAnswer {
  const source = changeSource(ports, id, change)
  ports.audit.record({ actor: actorOf(caller), action: 'library.source', subject: printLibraryId(id) })
  return source
}
