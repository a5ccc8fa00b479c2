import { z } from 'zod'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { type Caller, hasRight, type RightPorts } from '../access/caller.ts'
import { type DeclaredPorts, declaredAt } from '../access/declared-in-git.ts'
import { findVisible, type VisibleLibrariesPorts } from '../store/catalog/visible-libraries.ts'
import type { UsageFigures } from '../store/counters/usage-figures.ts'
import { InstallLibraryAnswer, type InstallLibraryAnswerPorts, installLibraryAnswer } from './install-library-answer.ts'

const shownDays = 365
const count = z.int().min(0)

export const LibraryDetails = InstallLibraryAnswer.extend({
  declaredIn: z
    .string()
    .optional()
    .describe('The page of the file in the followed repository that declares it; it is changed there'),
  mayDelete: z.boolean().optional().describe('Whether the caller may delete it; for callers with a key or session'),
  unanswered: z
    .object({
      total: count.describe("Over the library's life"),
      daily: z.array(z.object({ date: z.iso.date().describe('UTC'), count })).describe('Of the last year, oldest first'),
    })
    .optional()
    .describe(
      'Number of questions that nothing in the library matched, for callers with a key or session. Their text is not stored.',
    ),
}).meta({ id: 'ProjectDetails' })

export type LibraryDetailsPorts = VisibleLibrariesPorts &
  RightPorts &
  DeclaredPorts &
  InstallLibraryAnswerPorts & { usageFigures: Pick<UsageFigures, 'unanswered'>; now(): Date }

/** One library, for callers with a key or session also its questions without an answer. Throws library_not_found, tag_not_found. */
export function libraryDetails(ports: LibraryDetailsPorts, caller: Caller, id: LibraryId): z.infer<typeof LibraryDetails> {
  const answer = installLibraryAnswer(ports, findVisible(ports, id))
  if (!caller.holder) return answer
  const from = utcDay(ports.now(), 1 - shownDays)
  const declaredIn = declaredAt(ports, id)
  const mayDelete = declaredIn === undefined && hasRight(ports, 'delete', caller.holder)
  return {
    ...answer,
    ...(declaredIn !== undefined && { declaredIn }),
    mayDelete,
    unanswered: ports.usageFigures.unanswered(libraryKey(id), from),
  }
}
