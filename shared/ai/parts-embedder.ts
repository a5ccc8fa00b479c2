import type { AppError } from '../errors.ts'
import { shorterStarts } from './cut-to-tokens.ts'
import { isBusy, mayBeAboutTexts } from './may-be-about-texts.ts'
import { isRefusal } from './provider-refusal.ts'
import { isTransient, type withRetries } from './retry-policy.ts'

/** A text that waits for its vector. */
export type WaitingText = {
  text: string
  /** The vector is zero if the provider makes none of the text, for this reason. */
  resolve(vector: Float32Array, refusal?: AppError): void
}

type Ports = {
  /** One request. */
  embed(texts: string[]): Promise<Float32Array[]>
  tries: ReturnType<typeof withRetries>
  /** Called if a batch was too large, but parts of this many texts pass. */
  onTooLarge(maxTexts: number): void
}

/** Attempts at a request that fails, and at a single text that is rejected: a provider that fails or rejects at random accepts one of them. */
type Attempts = { failing: number; rejected: number }
/** Enough for a provider that is known to fail or reject some texts whenever they are sent. */
const fewAttempts: Attempts = { failing: 3, rejected: 1 }
const minBlamed = 3
/** How many texts are tried alone before a provider that has accepted none, nor the control text, fails the job. */
const maxDoubtful = 100
export const controlText = 'Does it answer?'

/**
 * Embeds batches of texts. A batch that is rejected, or fails while other texts pass, is halved until the single text is known. That text is
 * shortened; if it still fails, it gets a zero vector. A text is only blamed if another text passes after it has failed.
 */
export function partsEmbedder({ embed, tries, onTooLarge }: Ports, failing: number) {
  /** Requests are numbered. */
  let latest = 0
  /** The latest request that succeeded. */
  let passed = 0
  let dimensions = 0
  /** Texts that were shortened or left out. */
  let blamed = 0
  /** A text that passes if the provider works; at first a plain sentence, which some provider may reject. */
  let control = controlText
  /** The first text that passed. */
  let accepted: string | undefined
  let checking: Promise<boolean> | undefined
  /** Texts that were rejected while nothing has passed yet: the provider may reject everything. */
  const doubtful: { item: WaitingText; refusal: AppError }[] = []

  const request = async (texts: string[]): Promise<Float32Array[]> => {
    const number = ++latest
    const vectors = await embed(texts)
    passed = Math.max(passed, number)
    accepted ??= texts[0]
    dimensions = vectors[0]?.length ?? dimensions
    for (const { item, refusal } of doubtful.splice(0)) leaveOut(item, refusal)
    return vectors
  }
  const leaveOut = ({ resolve }: WaitingText, refusal: AppError) => resolve(new Float32Array(dimensions), refusal)
  /** Whether a request that began after this one succeeds. */
  const otherPasses = async (number: number): Promise<boolean> => {
    if (passed > number) return true
    if (doubtful.length > 0) return false
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
  const check = async (): Promise<boolean> => {
    if (await passes(control)) return true
    if (accepted === undefined || accepted === control) return false
    control = accepted
    return passes(control)
  }
  const passes = (text: string): Promise<boolean> =>
    tries(() => request([text]), isBusy).then(
      () => true,
      (error: unknown) => (mayBeAboutTexts(error) ? false : Promise.reject(error)),
    )

  const attempts = (): Attempts => (blamed < minBlamed ? { failing, rejected: 3 } : fewAttempts)

  /** Returns the number of texts of the largest part that passed. `isPart` if a larger batch failed: its parts fail quickly. */
  const embedBatch = async (batch: WaitingText[], isPart = false): Promise<number> => {
    const maxAttempts = isPart && batch.length > 1 ? 1 : attempts().failing
    const isFirst = accepted === undefined
    let made = 0
    let number = 0
    let failure: unknown
    let isSuspect = isPart
    const attempt = async () => {
      made += 1
      if (made === maxAttempts && !isSuspect) {
        if (!(await otherPasses(number))) throw failure
        isSuspect = true
      }
      number = latest + 1
      return request(batch.map(({ text }) => text)).catch((error: unknown) => {
        failure = error
        throw error
      })
    }
    try {
      const vectors = await tries(attempt, (error) => isBusy(error) || (isTransient(error) && made < maxAttempts))
      for (const [at, { resolve }] of batch.entries()) resolve(vectors[at] as Float32Array)
      return batch.length
    } catch (error) {
      if (!mayBeAboutTexts(error)) throw error
      const [only] = batch
      if (only && batch.length === 1) {
        await embedAlone(only, error, number)
        return 1
      }
      if (!isSuspect && !isRefusal(error) && !(await otherPasses(number))) throw error
      const blamedBefore = blamed
      const half = Math.ceil(batch.length / 2)
      const passedTexts = await embedBatch(batch.slice(0, half), true)
      const maxPassed = Math.max(passedTexts, await embedBatch(batch.slice(half), true))
      // The first request may have failed for the form of the vectors that it asks for.
      if (!isPart && !isFirst && blamed === blamedBefore) onTooLarge(maxPassed)
      return maxPassed
    }
  }
  /** The single text has failed with this error in this request. */
  const embedAlone = async (item: WaitingText, error: AppError, number: number): Promise<void> => {
    let [failure, failed] = [error, number]
    const isEmbedded = async (text: string): Promise<boolean> => {
      failed = latest + 1
      try {
        const [vector] = await tries(() => request([text]), isBusy)
        item.resolve(vector as Float32Array)
        return true
      } catch (again) {
        if (!mayBeAboutTexts(again)) throw again
        failure = again
        return false
      }
    }
    if (!(await otherPasses(number))) {
      if (!isRefusal(error) || accepted !== undefined) throw error
      doubtful.push({ item, refusal: error })
      if (doubtful.length >= maxDoubtful) throw error
      return
    }
    // The attempts at a failing text were made before.
    if (isRefusal(error)) for (let n = attempts().rejected; n > 1; n--) if (await isEmbedded(item.text)) return
    blamed += 1
    for (const text of shorterStarts(item.text)) if (await isEmbedded(text)) return
    if (!isRefusal(failure) && !(await otherPasses(failed))) throw failure
    leaveOut(item, failure)
  }

  return {
    /** Resolves each text. Throws an error that is not about the texts. */
    embed: (batch: WaitingText[]) => embedBatch(batch),
    /** The reason if the provider has rejected every text so far. */
    doubt: () => doubtful[0]?.refusal,
  }
}
