import { counted } from '../../shared/counted.ts'
import type { QueueAnswer } from './queue-elements.ts'

/** `removed`: versions that go with what replaces their library; absent if there are none. */
export type ImportAnswer = QueueAnswer & { message: string; removed?: string[] }

/** `note` says what people should know beside the numbers. */
export const importAnswer = ({ queued, skipped }: QueueAnswer, removed: string[], note?: string): ImportAnswer => ({
  message: [
    `Queued ${queued.length === 1 ? '1 library' : `${queued.length} libraries`} for import.`,
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'other')} skipped.`] : []),
    ...(note === undefined ? [] : [note]),
  ].join(' '),
  queued,
  skipped,
  ...(removed.length > 0 && { removed }),
})
