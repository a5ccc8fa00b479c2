import { AppError } from '../../shared/errors.ts'
import type { Sessions } from '../access/sessions.ts'
import { type FailedAct, type RepeatActsPorts, repeatActs } from './repeat-acts.ts'
import { type RestoreContentPorts, restoreContent } from './restore-content.ts'

export type RecoverPorts = RepeatActsPorts &
  Pick<RestoreContentPorts, 'catalog'> & {
    sessions: Pick<Sessions, 'clear'>
    publishNames(how: { whole: boolean }): Promise<void>
    undeleteGeneration: RestoreContentPorts['undeleteGeneration'] | undefined
  }

export type Recovery = { libraries: number; undeleted: number; lost: string[]; repeated: number; failed: FailedAct[] }

/** Acts are noted before they change the table, and the clocks of operators differ. */
const marginMs = 3_600_000

/**
 * Makes a table that was restored to its state at a time consistent with the rest: its content is restored, what was revoked,
 * removed and erased since is done again, all sessions end, since some had ended, and the list of libraries is published. It may be
 * repeated.
 */
export async function recover(ports: RecoverPorts, restoredTo: Date): Promise<Recovery> {
  const { catalog, undeleteGeneration } = ports
  if (!undeleteGeneration)
    throw new AppError('validation_error', 'Only a stage on AWS keeps old content. Restore the whole data directory instead.')
  const since = new Date(restoredTo.getTime() - marginMs)
  await ports.sessions.clear()
  const acts = await repeatActs(ports, since)
  const content = await restoreContent({ catalog, undeleteGeneration }, since)
  // The restored snapshot may be gone.
  await ports.publishNames({ whole: true })
  return { ...content, ...acts }
}
