import { pluralize } from '../../shared/text/pluralize.ts'
import type { QueueAnswer } from './queue-elements.ts'
import type { UnknownFields } from './stage-elements.ts'

/** `removed` is absent if there are none. */
export type ImportAnswer = Pick<QueueAnswer, 'queued' | 'skipped'> & { message: string; removed?: string[] }

/** `origin` is a sentence about the signature of the bundle, if there is something to report. */
export const importAnswer = (
  { queued, skipped, removed, noted, note, unknown }: QueueAnswer & { unknown: UnknownFields },
  origin?: string,
): ImportAnswer => ({
  message: [
    `Queued ${queued.length === 1 ? '1 library' : `${queued.length} libraries`} for import.`,
    ...(skipped.length > 0 ? [`${pluralize(skipped.length, 'other')} skipped.`] : []),
    ...(noted > 0 ? [notedIn(noted)] : []),
    ...(unknown.names.length > 0 ? [unknownIn(unknown)] : []),
    ...[origin, note].filter((each) => each !== undefined),
  ].join(' '),
  queued,
  skipped,
  ...(removed.length > 0 && { removed }),
})

const notedIn = (libraries: number): string =>
  `Something of ${libraries === 1 ? '1 library' : `${libraries} libraries`} was left out or changed; the report of its job says what.`

const unknownIn = ({ names, more }: UnknownFields): string =>
  `Unknown fields next to "libraries" were ignored: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
