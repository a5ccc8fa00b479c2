import type { PolicyAnswer } from '../../shared/api/policies.ts'
import { AppError } from '../../shared/errors.ts'
import { isExpired, type License } from '../../shared/keys/license.ts'
import { type LibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { allowedBy } from '../../shared/policy/allowed-by.ts'
import type { GovernedLibrary } from '../../shared/policy/governed-library.ts'
import type { Policy } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import type { SourceType } from '../../shared/policy/source-types.ts'
import { addAdvice } from '../../shared/search/libraries/add-advice.ts'
import type { FoundLibrary } from '../../shared/search/libraries/rank-libraries.ts'
import type { RenderedAnswer } from '../../shared/search/render-answer.ts'
import { unlessAborted } from '../../shared/time/unless-aborted.ts'
import { abortAfter } from '../../shared/time/with-timeout.ts'
import { redactError } from '../support/redact-error.ts'
import type { ContextQuestion, HostedClient, SearchQuestion, Surface } from './hosted-client.ts'
import type { Policies } from './policies.ts'

/** The libraries that the hosted service found and the policy allows, or the error if it is unavailable. */
export type HostedFound = { libraries: FoundLibrary[]; searchFilterApplied: boolean } | { unavailable: AppError }
export type PolicyState = { answer: PolicyAnswer; unavailable: boolean }

/** The documentation of the hosted service, as far as the license and the policy of this install allow it. */
export type Cloud = {
  /**
   * True if the license includes the hosted service and the policy allows any of it. The license may have expired since the
   * start.
   */
  isEnabled(): boolean
  /** True if requests are allowed now. If not, nothing is ever sent. */
  isOpen(): boolean
  search(question: SearchQuestion, surface: Surface, signal: AbortSignal): Promise<HostedFound>
  /** Throws access_denied, the errors of the hosted service, search_failed and timeout. */
  context(
    id: LibraryId,
    question: Omit<ContextQuestion, 'libraryId'>,
    surface: Surface,
    signal: AbortSignal,
  ): Promise<RenderedAnswer>
  policy(): Promise<PolicyState>
  /** Calls `check` with the policy that it changes; it may throw. */
  changePolicy(change: PolicyChange, check: (policy: Policy) => void, within: (store: () => void) => void): Promise<PolicyState>
}

type CloudPorts = {
  license: License
  client: HostedClient | undefined
  policies: Policies
  log: Log
  now(): Date
  /** The maximum time that a response waits for the hosted service. */
  waitMs: number
}

/** Admins wait longer, until a change is in force everywhere. */
const changeMs = 5_000
const neverAborted = new AbortController().signal

export function openCloud({ license, client, policies, log, now, waitMs }: CloudPorts): Cloud {
  let unavailable = false
  /** Logs once that the service is unavailable, and once that it is available again. */
  async function logAvailability<T>(work: Promise<T>, caller: AbortSignal): Promise<T> {
    try {
      const result = await work
      if (unavailable) log.info({}, 'the hosted service responds again')
      unavailable = false
      return result
    } catch (error) {
      if (!caller.aborted && isUnavailable(error)) {
        if (!unavailable) log.warn({ error: redactError(error) }, 'the hosted service does not respond')
        unavailable = true
      }
      throw error
    }
  }
  async function request<T>(
    ms: number,
    work: (hosted: HostedClient, signal: AbortSignal) => Promise<T>,
    caller: AbortSignal = neverAborted,
  ): Promise<T> {
    if (client === undefined) throw new Error('a request to the hosted service without a license for it')
    const asking = abortAfter({ maxMs: ms, error: tooLate }, (late) => {
      const ended = AbortSignal.any([late, caller])
      return unlessAborted(work(client, ended), ended)
    })
    return logAvailability(asking, caller)
  }
  const isValid = () => client !== undefined && !isExpired(license, now())
  const allows = () => allowedBy(policies.current(), now())
  async function pushed(ms: number): Promise<PolicyState> {
    const unavailable = await request(ms, () => policies.push()).then(
      () => false,
      () => true,
    )
    return { answer: policies.answer(), unavailable }
  }
  const isEnabled = () => client !== undefined && policies.allowsAnything()
  const isOpen = () => isEnabled() && isValid()
  return {
    isEnabled,
    isOpen,
    async search(question, surface, caller) {
      try {
        const search = async (hosted: HostedClient, signal: AbortSignal) => {
          await policies.ensurePushed()
          return hosted.search(question, surface, signal)
        }
        const answer = await request(waitMs, search, caller)
        const allowed = allows()
        const libraries = answer.libraries.filter((library) => allowed(governed(library)))
        return { libraries, searchFilterApplied: answer.searchFilterApplied || libraries.length < answer.libraries.length }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code !== 'no_libraries_found') return { unavailable: error }
        return { libraries: [], searchFilterApplied: error.fields.searchFilterApplied === true }
      }
    },
    async context(id, question, surface, caller) {
      const { owner, repo } = id
      const library = printLibraryId({ owner, repo })
      if (!allows()(governed({ id: library, stars: -1, trustScore: -1, lastUpdateDate: '' }))) throw denied(id)
      const read = async (hosted: HostedClient, signal: AbortSignal) => {
        await policies.ensurePushed()
        return hosted.context({ ...question, libraryId: printLibraryId(id) }, surface, signal)
      }
      return request(waitMs, read, caller)
    },
    policy: async () => (isOpen() ? pushed(waitMs) : { answer: policies.answer(), unavailable: false }),
    async changePolicy(change, check, within) {
      within(() => policies.change(change, check))
      return isValid() ? pushed(Math.max(changeMs, waitMs)) : { answer: policies.answer(), unavailable: false }
    },
  }
}

/** The facts that a policy checks. The hosted search returns no kind of source, so it is taken from the first part of the id. */
const governed = (library: GovernedLibrary): GovernedLibrary => ({ ...library, sourceType: sourceTypeOf(library.id) })

const sourceTypeOf = (id: string): SourceType =>
  id.startsWith('/websites/') ? 'websites' : id.startsWith('/llmstxt/') ? 'llmstxt' : 'public_repos'

const isUnavailable = (error: unknown): boolean =>
  !(error instanceof AppError) || ['search_failed', 'timeout', 'forbidden'].includes(error.code)

const tooLate = (): AppError =>
  new AppError('timeout', 'The hosted service did not respond in time. Try again in a moment.', { retry: 'limited' })

const denied = ({ owner, repo }: LibraryId): AppError =>
  new AppError('access_denied', `The policy of this install does not allow ${shownId({ owner, repo })}. ${addAdvice.notAllowed}`)
