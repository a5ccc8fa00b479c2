import { AppError } from '../../shared/errors.ts'

/** Limits the open streams, for each caller and together. */
export type StreamLimit = {
  open(): number
  /** Returns a function that frees the place of the stream. Throws rate_limit_exceeded. */
  take(caller: string, isAnonymous: boolean): () => void
}

const maxStreams = 200
/** The other streams are reserved for keys and sessions. */
export const maxAnonymousStreams = 150
export const maxStreamsOfCaller = 20
const retryAfterMs = 10_000

export function streamLimit(): StreamLimit {
  const streams = new Map<string, number>()
  let total = 0
  let anonymous = 0
  return {
    open: () => total,
    take(caller, isAnonymous) {
      const own = streams.get(caller) ?? 0
      if (own >= maxStreamsOfCaller) throw tooMany(`You have ${own} event streams open, the maximum.`, maxStreamsOfCaller)
      if (total >= maxStreams) throw tooMany(`This server has ${total} event streams open, the maximum.`, maxStreams)
      if (isAnonymous && anonymous >= maxAnonymousStreams)
        throw tooMany(`Callers without a key have ${anonymous} event streams open, the maximum.`, maxAnonymousStreams)
      streams.set(caller, own + 1)
      total += 1
      anonymous += isAnonymous ? 1 : 0
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        total -= 1
        anonymous -= isAnonymous ? 1 : 0
        const left = (streams.get(caller) ?? 1) - 1
        if (left === 0) streams.delete(caller)
        else streams.set(caller, left)
      }
    },
  }
}

const tooMany = (why: string, limitRequests: number) =>
  new AppError('rate_limit_exceeded', `${why} Close one, or poll GET /api/jobs.`, { retryAfterMs, limitRequests })
