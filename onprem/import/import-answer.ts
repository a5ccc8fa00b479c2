import { counted } from '../../shared/counted.ts'
import type { QueueAnswer } from './queue-elements.ts'

export type ImportAnswer = QueueAnswer & { message: string }

/** `note` says what people should know beside the numbers. */
export const importAnswer = ({ queued, skipped }: QueueAnswer, note?: string): ImportAnswer => ({
  message: [
    `Queued ${queued.length === 1 ? '1 library' : `${queued.length} libraries`} for import.`,
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'other')} skipped.`] : []),
    ...(note === undefined ? [] : [note]),
  ].join(' '),
  queued,
  skipped,
})
