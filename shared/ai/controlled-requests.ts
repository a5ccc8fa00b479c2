import { AppError, isTransient } from '../errors.ts'
import { isModelCrash } from './local/model-crash.ts'
import { providerStatus } from './provider-refusal.ts'
import type { withRetries } from './retry-policy.ts'

/** Requests for vectors, numbered, so that a failed one can be compared with later ones. */
export type ControlledRequests = {
  send(texts: string[]): Promise<Float32Array[]>
  /** The number of the next request. */
  next(): number
  /** Adds a text that the model accepted in an earlier run, as a control text if it rejects the plain sentence. */
  addAccepted(text: string): void
  /** True if one has passed. */
  havePassed(): boolean
  /** True if a request that begins after this one passes. If none is running, sends one with a text that should pass. */
  otherPasses(number: number): Promise<boolean>
  /** The length of the latest vectors; 0 if no request has passed. */
  dimensions(): number
}

type Ports = {
  embed(texts: string[]): Promise<Float32Array[]>
  tries: ReturnType<typeof withRetries>
  /** Called after each request that passes. */
  onPassed(texts: string[]): void
}

/** A plain sentence. */
export const controlText = 'Does it answer?'

export function controlledRequests({ embed, tries, onPassed }: Ports): ControlledRequests {
  const state = { latest: 0, passed: 0, dimensions: 0 }
  /** A text that passes if the provider works: one that has passed, if the provider rejects the sentence. */
  let control = controlText
  let accepted: string | undefined
  let acceptedBefore: string | undefined
  let checking: Promise<boolean> | undefined

  const send = async (texts: string[]): Promise<Float32Array[]> => {
    state.latest += 1
    const number = state.latest
    const vectors = await embed(texts)
    const length = vectors[0]?.length ?? 0
    if (state.dimensions > 0 && length !== state.dimensions)
      throw wrongVector(`a vector of ${length} numbers; the others have ${state.dimensions}`)
    if (vectors.some(isZero)) throw wrongVector('a vector of zeros')
    state.passed = Math.max(state.passed, number)
    state.dimensions = length
    accepted ??= texts[0]
    onPassed(texts)
    return vectors
  }
  const passes = (text: string): Promise<boolean> => {
    const attempt = () => tries(() => send([text]), isBusy)
    return attempt()
      .catch((error: unknown) => {
        // An embedder that has learned the length of a wrong vector rejects the first right one.
        if (isTransient(error) && providerStatus(error) === undefined) return attempt()
        throw error
      })
      .then(
        () => true,
        (error: unknown) => (mayBeAboutTexts(error) ? false : Promise.reject(error)),
      )
  }
  const check = async (): Promise<boolean> => {
    if (await passes(control)) return true
    const other = accepted ?? acceptedBefore
    if (other === undefined || other === control) return false
    control = other
    return passes(control)
  }
  return {
    send,
    next: () => state.latest + 1,
    addAccepted(text) {
      // The shortest, since a long one may have been shortened before it was accepted.
      if (acceptedBefore === undefined || text.length < acceptedBefore.length) acceptedBefore = text
    },
    havePassed: () => accepted !== undefined,
    async otherPasses(number) {
      while (state.passed <= number) {
        checking ??= check().finally(() => {
          checking = undefined
        })
        // It may have begun before the request that failed, and has to be repeated then.
        if (!(await checking)) return false
      }
      return true
    },
    dimensions: () => state.dimensions,
  }
}

const isZero = (vector: Float32Array): boolean => vector.every((value) => value === 0)

/** Some providers answer a text that they cannot read with a vector that is short or zero. */
const wrongVector = (what: string): AppError =>
  new AppError('provider_unavailable', `The embedding provider returned ${what}.`, { retry: 'limited' })

/** True if the provider asks for fewer requests or is not ready, whatever the texts. */
export const isBusy = (error: unknown): boolean => isTransient(error) && error.code === 'rate_limit_exceeded'

/** True if the provider may be down, or the texts may have brought it down. */
export const isOutage = (error: unknown): boolean =>
  error instanceof AppError && !isBusy(error) && (isTransient(error) || isModelCrash(error))

/**
 * True if the texts of a failed request may be the reason, whatever the status: firewalls answer 403 or a redirect to a text that looks like an
 * attack. Only requests with other texts can tell.
 */
export const mayBeAboutTexts = (error: unknown): error is AppError =>
  isOutage(error) || (!isBusy(error) && providerStatus(error) !== undefined)
