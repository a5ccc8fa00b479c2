import { AppError } from '../../shared/errors.ts'
import { toHttp } from '../../shared/http/to-http.ts'
import type { Entry } from '../../shared/usage/surface-of.ts'
import type { Instruments } from './instruments.ts'

export const questionOutcomes = [
  'answered',
  'not_covered',
  'nothing_found',
  'rejected',
  'invalid',
  'disconnected',
  'failed',
] as const
type Outcome = (typeof questionOutcomes)[number]

type QuestionLabels = { kind: 'search' | 'context'; entry: Entry }

const nothingFound = ['no_snippets_found', 'no_libraries_found', 'library_not_found', 'tag_not_found']

/** Runs a search or a question, and counts how it ended. */
export async function measureQuestion<T>(
  { questions, questionSeconds }: Pick<Instruments, 'questions' | 'questionSeconds'>,
  labels: QuestionLabels,
  signal: AbortSignal,
  answer: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  let outcome: Outcome = 'answered'
  try {
    const given = await answer()
    if (isUncovered(given)) outcome = 'not_covered'
    return given
  } catch (error) {
    outcome = signal.aborted ? 'disconnected' : outcomeOf(error)
    throw error
  } finally {
    questions.inc({ ...labels, outcome })
    questionSeconds.observe(labels, (performance.now() - began) / 1000)
  }
}

const isUncovered = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'covered' in answer && answer.covered === false

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof AppError)) return 'failed'
  if (nothingFound.includes(error.code)) return 'nothing_found'
  if (error.retryAfterMs !== undefined) return 'rejected'
  return toHttp(error).status < 500 ? 'invalid' : 'failed'
}
