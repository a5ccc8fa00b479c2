import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import { type ContextRequest, getContext } from '../../shared/search/get-context.ts'
import type { ServedVersion } from '../../shared/search/libraries/catalog.ts'
import type { QuestionQueue } from '../../shared/search/question/question-queue.ts'
import type { Answer } from '../../shared/search/render-answer.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { recordQuestion } from '../../shared/usage/record-question.ts'
import type { AnsweredRequest, RequestUsage } from '../../shared/usage/record-usage.ts'
import type { Caller } from '../access/caller.ts'
import { knownLibrary, type ViewPorts, viewOf } from '../access/visibility.ts'
import { type CatalogRecord, hasContent } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { HostedJobs } from '../jobs/hosted-jobs.ts'
import { servedVersion } from './served-version.ts'

export type AnswerContextPorts = ViewPorts & {
  catalog: Pick<HostedCatalog, 'record' | 'rules'>
  jobs: Pick<HostedJobs, 'find'>
  snippets: SnippetStore
  questions: Pick<QuestionQueue, 'run'>
  record(request: AnsweredRequest): Promise<void>
}

/**
 * The best snippets of a library for a question; usage counting records the request unless `usage` is undefined. Throws
 * library_not_found for a missing or hidden library, access_denied if the policy of the caller's teamspace or license excludes it, and what
 * `getContext` throws.
 */
export async function answerContext(
  ports: AnswerContextPorts,
  query: ContextRequest,
  { caller, usage }: { caller: Caller; usage: RequestUsage | undefined },
  signal: AbortSignal,
): Promise<Answer> {
  const { snippets, questions } = ports
  let answered: Pick<AnsweredRequest, 'library' | 'version'> | undefined
  const catalog = {
    async served(id: LibraryId) {
      const { key, served } = await visibleVersion(ports, caller, id)
      answered = { library: key, version: served.version }
      return served
    },
  }
  return recordQuestion(
    async (asked) => {
      if (answered && usage) await ports.record({ ...usage, ...answered, ...asked })
    },
    signal,
    () => getContext({ catalog, snippets, questions }, query, signal),
  )
}

/** The content that is served to a caller, and the key of its library. Throws what `answerContext` throws about the id. */
export async function visibleVersion(
  ports: Omit<AnswerContextPorts, 'questions' | 'snippets' | 'record'>,
  caller: Caller,
  id: LibraryId,
): Promise<{ key: string; served: ServedVersion }> {
  const record = await visibleLibrary(ports, caller, id)
  const job = hasContent(record) ? undefined : await ports.jobs.find(record.key)
  const { rulesId, ...served } = servedVersion(record, id, job)
  const rules = rulesId === undefined ? [] : await ports.catalog.rules(record.key, rulesId)
  return { key: record.key, served: { ...served, rules, ...(await teamRules(ports, caller, record.key)) } }
}

/** The rules of the caller's teamspace for a library. */
async function teamRules(
  { teamPolicies }: Pick<ViewPorts, 'teamPolicies'>,
  caller: Caller,
  key: string,
): Promise<Pick<ServedVersion, 'teamRules'>> {
  if (caller.kind !== 'teamspace') return {}
  const { global, libraries } = (await teamPolicies.guidance(caller.teamspace)).rules
  const library = libraries[key] ?? []
  return global.length + library.length === 0 ? {} : { teamRules: { global, library } }
}

/** The check precedes errors that name the versions of the library or the progress of its job. */
async function visibleLibrary(
  ports: ViewPorts & Pick<AnswerContextPorts, 'catalog'>,
  caller: Caller,
  id: LibraryId,
): Promise<CatalogRecord> {
  const [{ allows }, record] = await Promise.all([viewOf(ports, caller), knownLibrary(ports.catalog, caller, id)])
  if (allows && !allows(record.library)) throw denied(caller, id)
  return record
}

const denied = (caller: Caller, { owner, repo }: LibraryId): AppError => {
  const whose = caller.kind === 'teamspace' ? 'teamspace' : 'license'
  const message = `The policy of your ${whose} does not allow ${shownId({ owner, repo })}. Ask the manager of the policy for an exception.`
  return new AppError('access_denied', message)
}
