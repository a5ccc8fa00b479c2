import { AppError, isTransient } from '../errors.ts'
import { type ControlledRequests, controlledRequests, isBusy, isOutage, mayBeAboutTexts } from './controlled-requests.ts'
import { shorterStarts } from './cut-to-tokens.ts'
import { isRefusal } from './provider-refusal.ts'
import type { withRetries } from './retry-policy.ts'
import type { SuspectTexts } from './suspect-texts.ts'

/** A text that waits for its vector. */
export type WaitingText = {
  text: string
  /** The vector is zero if the provider makes none of the text, for this reason. */
  resolve(vector: Float32Array, refusal?: AppError): void
}

type Ports = {
  /** One request. */
  embed(texts: string[]): Promise<Float32Array[]>
  /** The length of the vectors, if known. */
  dimensions(): number | undefined
  tries: ReturnType<typeof withRetries>
  suspects: SuspectTexts
  /** Called if a batch was too large, but parts of this many texts pass. */
  onTooLarge(maxTexts: number): void
}

/** Attempts at a request that fails, and at a single text that is rejected: a provider that fails or rejects at random accepts one of them. */
type Attempts = { failing: number; rejected: number }
/** These attempts are enough for a provider that is known to fail or reject some texts whenever they are sent. */
const fewAttempts: Attempts = { failing: 3, rejected: 1 }
const minBlamed = 3
/** The number of texts that are tried alone before a provider that has accepted none, nor the control text, fails the job. */
const maxDoubtful = 100

/** A single text or batch that failed, with the number of the request. */
type Failed<What> = { what: What; error: AppError; number: number }

/**
 * Embeds batches of texts. A batch that is rejected, or fails while other texts pass, is halved until the single text is known. That text is
 * shortened; if it still fails, it gets a zero vector. A text is only blamed if another text passes after it has failed.
 */
export function partsEmbedder({ embed, dimensions, tries, suspects, onTooLarge }: Ports, failing: number) {
  /** Texts that were shortened or omitted. */
  let blamed = 0
  /** Texts that were rejected while nothing has passed yet: the provider may reject everything. */
  const doubtful: { item: WaitingText; refusal: AppError }[] = []
  /** The texts that each batch in progress sent last, if that failed. */
  const failed = new Set<WaitingText[]>()

  const requests: ControlledRequests = controlledRequests({
    embed,
    tries,
    onPassed(texts) {
      suspects.clear(texts)
      for (const { item, refusal } of doubtful.splice(0)) leaveOut(item, refusal)
    },
  })
  const length = () => dimensions() ?? requests.dimensions()
  const leaveOut = ({ resolve }: WaitingText, refusal: AppError) => resolve(new Float32Array(length()), refusal)
  const attempts = (): Attempts => (blamed < minBlamed ? { failing, rejected: 3 } : fewAttempts)

  /** Any of the texts that are being sent may have caused it. The next run sends them in smaller batches. */
  const goDown = (error: AppError): never => {
    for (const batch of failed) suspects.add(batch.map(({ text }) => text))
    throw error
  }
  /** Returns the number of texts of the largest part that passed. `isPart` if a larger batch failed: its parts fail quickly. */
  const embedBatch = async (batch: WaitingText[], isPart = false): Promise<number> => {
    const [only] = batch
    if (only && batch.length === 1 && length() > 0 && suspects.isCrash(only.text)) {
      leaveOut(only, crash)
      return 1
    }
    const maxAttempts = isPart && batch.length > 1 ? 1 : attempts().failing
    const isFirst = !requests.havePassed()
    let isSuspect = isPart
    let made = 0
    let number = 0
    let failure: AppError | undefined
    const attempt = async () => {
      made += 1
      if (made === maxAttempts && !isSuspect && failure) {
        if (!(await requests.otherPasses(number))) goDown(failure)
        isSuspect = true
      }
      number = requests.next()
      const texts = batch.map(({ text }) => text)
      return requests.send(texts).catch((error: unknown) => {
        if (mayBeAboutTexts(error)) failure = error
        if (isOutage(failure)) failed.add(batch)
        throw error
      })
    }
    try {
      const vectors = await tries(attempt, (error) => isBusy(error) || (isTransient(error) && made < maxAttempts))
      for (const [at, { resolve }] of batch.entries()) resolve(vectors[at] as Float32Array)
      return batch.length
    } catch (error) {
      if (!mayBeAboutTexts(error)) throw error
      if (!isSuspect && !isRefusal(error) && !(await requests.otherPasses(number))) goDown(error)
      if (only && batch.length === 1) {
        await embedAlone({ what: only, error, number })
        return 1
      }
      failed.delete(batch)
      const blamedBefore = blamed
      const half = Math.ceil(batch.length / 2)
      const firstPassed = await embedBatch(batch.slice(0, half), true)
      const maxPassed = Math.max(firstPassed, await embedBatch(batch.slice(half), true))
      // The first request may have failed for the form of the vectors that it asks for.
      if (!isPart && !isFirst && blamed === blamedBefore) onTooLarge(maxPassed)
      return maxPassed
    } finally {
      failed.delete(batch)
    }
  }
  const embedAlone = async ({ what: item, ...first }: Failed<WaitingText>): Promise<void> => {
    let { error, number } = first
    const isEmbedded = async (text: string): Promise<boolean> => {
      number = requests.next()
      try {
        const [vector] = await tries(() => requests.send([text]), isBusy)
        item.resolve(vector as Float32Array)
        return true
      } catch (again) {
        if (!mayBeAboutTexts(again)) throw again
        error = again
        return false
      }
    }
    if (doubtful.length > 0 || !(await requests.otherPasses(number))) {
      if (!isRefusal(error)) goDown(error)
      if (requests.havePassed()) throw error
      doubtful.push({ item, refusal: error })
      if (doubtful.length >= maxDoubtful) throw error
      return
    }
    // The attempts at a failing text were made before.
    if (isRefusal(error)) for (let n = attempts().rejected; n > 1; n--) if (await isEmbedded(item.text)) return
    blamed += 1
    for (const text of shorterStarts(item.text)) if (await isEmbedded(text)) return
    if (!isRefusal(error) && !(await requests.otherPasses(number))) goDown(error)
    leaveOut(item, error)
  }

  return {
    /** Resolves each text. Throws an error that is not about the texts. */
    embed: (batch: WaitingText[]) => embedBatch(batch),
    /** Adds a text that the model accepted in an earlier run. */
    addAccepted: requests.addAccepted,
    /** The reason if the provider has rejected every text so far. */
    doubt: () => doubtful[0]?.refusal,
  }
}

const crash = new AppError('provider_unavailable', 'the provider went down each time it got this text.')
