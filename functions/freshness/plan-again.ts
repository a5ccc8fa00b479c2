import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import type { LibraryChecks } from './library-checks.ts'

/** Makes a library due after a change of its schedule: its check plans the next one. */
export const planAgain = (
  { checks, now }: { checks: Pick<LibraryChecks, 'plan'>; now(): Date },
  key: string,
  schedule: SourceSettings['schedule'] | null,
): Promise<void> => checks.plan(key, schedule === 'off' ? { schedule, dueAt: undefined } : { dueAt: now() })
