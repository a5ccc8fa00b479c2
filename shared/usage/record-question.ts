import { AppError } from '../errors.ts'
import type { Snippet } from '../snippet.ts'
import type { AnsweredRequest } from './record-usage.ts'
import { topicsOf } from './topics-of.ts'
import type { UsageEvent } from './usage-event.ts'

type AskedQuestion = Required<Pick<AnsweredRequest, 'topics' | 'question'>>
type Answer = { snippets: readonly Pick<Snippet, 'breadcrumb' | 'topic'>[]; covered?: boolean }

/** Asks, and records how that ended and how long it took. A question that fails or whose caller hung up is not recorded. */
export async function recordQuestion<Asked extends Answer>(
  record: (asked: AskedQuestion) => Promise<void>,
  signal: AbortSignal,
  ask: () => Promise<Asked>,
): Promise<Asked> {
  const began = performance.now()
  const recordAs = (outcome: NonNullable<UsageEvent['question']>['outcome'], topics: string[]) =>
    record({ topics, question: { outcome, ms: Math.round(performance.now() - began) } })
  try {
    const answer = await ask()
    signal.throwIfAborted()
    await recordAs(answer.covered === false ? 'uncovered' : 'answered', topicsOf(answer.snippets))
    return answer
  } catch (error) {
    if (error instanceof AppError && error.code === 'no_snippets_found') await recordAs('unanswered', [])
    throw error
  }
}
