import type { PolicyAnswer } from '../../shared/api/policies.ts'
import { AppError } from '../../shared/errors.ts'
import { isExpired, type License } from '../../shared/keys/license.ts'
import { type LibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { allowing } from '../../shared/policy/allowing.ts'
import type { GovernedLibrary } from '../../shared/policy/governed-library.ts'
import type { SourceType } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import type { ListedLibrary } from '../../shared/search/catalog.ts'
import type { RenderedContext } from '../../shared/search/context.ts'
import { abortAfter } from '../../shared/time/abort-after.ts'
import { unlessAborted } from '../../shared/time/unless-aborted.ts'
import { redactError } from '../support/redact-error.ts'
import type { ContextQuestion, HostedClient, SearchQuestion, Surface } from './hosted-client.ts'
import type { Policies } from './policies.ts'

/** What the hosted service found, as far as the policy lets it through; why it could not be asked. */
export type HostedFound = { libraries: ListedLibrary[]; searchFilterApplied: boolean } | { unavailable: AppError }
export type PolicyState = { answer: PolicyAnswer; unavailable: boolean }

/** The documentation of the hosted service, as far as license and policy of this install open it. */
export type Cloud = {
  /** Whether the license names a hosted service and the policy opens anything of it; the license may have expired since. */
  isEnabled(): boolean
  /** Whether anything may be asked of it now; else nothing is ever sent. */
  isOpen(): boolean
  search(question: SearchQuestion, surface: Surface, signal: AbortSignal): Promise<HostedFound>
  /** Throws access_denied, what the hosted service refuses with, search_failed and timeout. */
  context(
    id: LibraryId,
    question: Omit<ContextQuestion, 'libraryId'>,
    surface: Surface,
    signal: AbortSignal,
  ): Promise<RenderedContext>
  policy(): Promise<PolicyState>
  changePolicy(change: PolicyChange): Promise<PolicyState>
}

type CloudPorts = {
  license: License
  client: HostedClient | undefined
  policies: Policies
  log: Log
  now(): Date
  /** What an answer may wait for the hosted one. */
  waitMs: number
}

/** An admin waits longer for a change to be in force everywhere. */
const changeMs = 5_000
const neverAborted = new AbortController().signal

export function openCloud({ license, client, policies, log, now, waitMs }: CloudPorts): Cloud {
  let away = false
  /** Says once in the log that the service is away, and once that it is back. */
  async function noted<T>(work: Promise<T>, caller: AbortSignal): Promise<T> {
    try {
      const result = await work
      if (away) log.info({}, 'the hosted service answers again')
      away = false
      return result
    } catch (error) {
      if (!caller.aborted && isAway(error)) {
        if (!away) log.warn({ error: redactError(error) }, 'the hosted service does not answer')
        away = true
      }
      throw error
    }
  }
  async function asked<T>(
    ms: number,
    work: (hosted: HostedClient, signal: AbortSignal) => Promise<T>,
    caller: AbortSignal = neverAborted,
  ): Promise<T> {
    if (client === undefined) throw new Error('the hosted service is asked without a license for it')
    const asking = abortAfter({ maxMs: ms, error: tooLate }, (late) => {
      const ended = AbortSignal.any([late, caller])
      return unlessAborted(work(client, ended), ended)
    })
    return noted(asking, caller)
  }
  const isValid = () => client !== undefined && !isExpired(license, now())
  const allows = () => allowing(policies.current(), now())
  async function pushed(ms: number): Promise<PolicyState> {
    const unavailable = await asked(ms, () => policies.push()).then(
      () => false,
      () => true,
    )
    return { answer: policies.answer(), unavailable }
  }
  const isEnabled = () => client !== undefined && policies.opensAnything()
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
        const found = await asked(waitMs, search, caller)
        const allowed = allows()
        const libraries = found.libraries.filter((library) => allowed(governed(library)))
        return { libraries, searchFilterApplied: found.searchFilterApplied || libraries.length < found.libraries.length }
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
      return asked(waitMs, read, caller)
    },
    policy: async () => (isOpen() ? pushed(waitMs) : { answer: policies.answer(), unavailable: false }),
    async changePolicy(change) {
      policies.change(change)
      return isValid() ? pushed(Math.max(changeMs, waitMs)) : { answer: policies.answer(), unavailable: false }
    },
  }
}

/** What a policy judges a library of the hosted service by: its search tells no kind of source but by the first part of the id. */
const governed = (library: GovernedLibrary): GovernedLibrary => ({ ...library, sourceType: sourceTypeOf(library.id) })

const sourceTypeOf = (id: string): SourceType =>
  id.startsWith('/websites/') ? 'websites' : id.startsWith('/llmstxt/') ? 'llmstxt' : 'public_repos'

const isAway = (error: unknown): boolean =>
  !(error instanceof AppError) || ['search_failed', 'timeout', 'forbidden'].includes(error.code)

const tooLate = (): AppError =>
  new AppError('timeout', 'The hosted service did not answer in time. Ask again in a moment.', { transient: true })

const denied = ({ owner, repo }: LibraryId): AppError =>
  new AppError(
    'access_denied',
    `The policy of this install does not allow ${shownId({ owner, repo })}. An admin can except it, or add it here by parsing its repository.`,
  )
