import { counted } from '../../shared/counted.ts'
import type { QueueAnswer } from './queue-elements.ts'
import type { Removed } from './remove-others.ts'

/** `removed`: versions that go with what replaces their library; absent if there are none. */
export type ImportAnswer = QueueAnswer & { message: string; removed?: string[] }

/** The notes say what people should know beside the numbers. */
export const importAnswer = (
  { queued, skipped }: QueueAnswer,
  { removed, note: kept }: Removed,
  note?: string,
): ImportAnswer => ({
  message: [
    `Queued ${queued.length === 1 ? '1 library' : `${queued.length} libraries`} for import.`,
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'other')} skipped.`] : []),
    ...[note, kept].filter((each) => each !== undefined),
  ].join(' '),
  queued,
  skipped,
  ...(removed.length > 0 && { removed }),
})
