import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, shownId } from '../../shared/library.ts'
import { type ContextPorts, type ContextQuery, getContext } from '../../shared/search/get-context.ts'
import { addAdvice } from '../../shared/search/libraries/add-advice.ts'
import type { Catalog, ServedVersion } from '../../shared/search/libraries/catalog.ts'
import { askedQuestion } from '../../shared/search/question/asked-question.ts'
import type { Answer, RenderedAnswer } from '../../shared/search/render-answer.ts'
import { isBot } from '../../shared/usage/is-bot.ts'
import { recordQuestion } from '../../shared/usage/record-question.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { type LicensePorts, requireLicense } from '../access/resolve-license.ts'
import type { Cloud } from '../cloud/cloud.ts'
import { hostedSurface } from '../cloud/hosted-client.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { KeptFeedback } from '../usage/kept-feedback.ts'
import type { UsageBuffer } from '../usage/usage-buffer.ts'
import { isLocal, type LocalPorts } from './is-local.ts'
import { type UnservedPorts, unservedText } from './unserved-text.ts'

type AnswerContextPorts = ContextPorts &
  LicensePorts &
  LocalPorts &
  UnservedPorts & {
    catalog: Pick<Catalog, 'served'>
    jobs: Pick<JobStore, 'unserved'>
    cloud: Pick<Cloud, 'isEnabled' | 'context'>
    usage: Pick<UsageBuffer, 'record'>
    feedback: Pick<KeptFeedback, 'noteUnanswered'>
  }

/** An address holds a question in up to three times as many characters, and the hosted service accepts no long ones. */
const forwardedChars = 2_000

type ContextInput = Parameters<typeof getContext>[1] & Partial<Pick<ContextQuery, 'type' | 'fast'>>

/**
 * The best snippets of a library for a question. Libraries of this install are answered here, and that counts as one use; others are
 * requested from the hosted service if the license includes it. Throws what `getContext` and the hosted service throw, and forbidden if
 * the license that includes the hosted service has expired.
 */
export async function answerContext(
  ports: AnswerContextPorts,
  input: ContextInput,
  usage: RequestUsage | undefined,
  signal: AbortSignal,
): Promise<Answer | RenderedAnswer> {
  const { libraryId: id } = input
  if (ports.cloud.isEnabled() && !isLocal(ports, id)) {
    requireLicense(ports)
    const { tokens, type = 'txt', fast = 'false', docsLanguage, uncovered } = input
    const { text: query } = askedQuestion(input.query, forwardedChars)
    const options = { ...(docsLanguage !== undefined && { docsLanguage }), ...(uncovered !== undefined && { uncovered }) }
    const question = { query, tokens, type, fast, ...options }
    const requested = ports.cloud.context(id, question, hostedSurface(usage), signal)
    const answer = await requested.catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'library_not_found' ? foundNowhere(ports, id, error) : error
    })
    return { ...answer, hosted: 'answered' }
  }
  const answered: { by?: ServedVersion } = {}
  const catalog = {
    async served(id: LibraryId) {
      const unserved = ports.jobs.unserved.find(libraryKey(id))
      if (unserved) throw new AppError('library_not_found', unservedText(ports, unserved))
      answered.by = await ports.catalog.served(id)
      return answered.by
    },
  }
  return recordQuestion(
    async (asked) => {
      if (!usage || !answered.by) return
      await ports.usage.record({ ...usage, ...asked, library: libraryKey(id), version: answered.by.version })
      if (asked.question.outcome !== 'answered' && !isBot(usage.userAgent)) ports.feedback.noteUnanswered(id, input.query)
    },
    signal,
    () => getContext({ ...ports, catalog }, input, signal),
  )
}

function foundNowhere(ports: UnservedPorts & { jobs: Pick<JobStore, 'unserved'> }, id: LibraryId, cause: AppError): AppError {
  const unserved = ports.jobs.unserved.find(libraryKey(id))
  const local = unserved
    ? unservedText(ports, unserved)
    : `${shownId({ owner: id.owner, repo: id.repo })} is neither in this install nor at the hosted service. ${addAdvice.nowhere}`
  return new AppError('library_not_found', `${local} The hosted service says: ${cause.message}`, { cause })
}
