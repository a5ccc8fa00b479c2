import { AppError } from '../../shared/errors.ts'
import type { LibraryId } from '../../shared/library.ts'
import { libraryKey } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { Feedback, FeedbackFilter, FeedbackStore, Rating } from '../store/feedback-store.ts'

/** Feedback under the settings of the install: nothing is kept or shown while it is off, and nothing for longer than `feedback.retentionDays`. */
export type KeptFeedback = {
  isOn(): boolean
  /** Never throws: the caller is answered whether or not the question can be kept. */
  noteUnanswered(id: LibraryId, question: string): void
  /** Throws rate_limit_exceeded after 100 ratings of an author in 24 hours, with the time until the next one is accepted. */
  rate(rating: Rating): void
  list(filter: FeedbackFilter, page: number, pageSize: number): { feedback: Feedback[]; total: number }
  remove: FeedbackStore['remove']
  removeAll: FeedbackStore['removeAll']
  /** Deletes what the settings no longer allow to keep. */
  tidy(): void
}

type KeptFeedbackPorts = { store: FeedbackStore; settings: Pick<SettingsStore, 'get'>; log: Log; now(): Date }

const dayMs = 86_400_000
const maxRatingsPerDay = 100
const maxQuestionChars = 2_000

export function keptFeedback({ store, settings, log, now }: KeptFeedbackPorts): KeptFeedback {
  const isOn = () => settings.get('feedback.enabled')
  const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs).toISOString()
  const oldest = () => daysAgo(settings.get('feedback.retentionDays'))
  return {
    isOn,
    noteUnanswered(id, question) {
      try {
        if (isOn()) store.addUnanswered(libraryKey(id), visibleText(question).trim().slice(0, maxQuestionChars))
      } catch (error) {
        log.error({ error }, 'a question without an answer cannot be kept')
      }
    },
    rate(rating) {
      const firstToLeave = store.rate(rating, { since: daysAgo(1), max: maxRatingsPerDay })
      if (firstToLeave !== undefined) throw tooManyRatings(Date.parse(firstToLeave) + dayMs - now().getTime())
    },
    list: (filter, page, pageSize) => store.list(filter, oldest(), page, pageSize),
    remove: store.remove,
    removeAll: store.removeAll,
    tidy: () => void (isOn() ? store.removeBefore(oldest()) : store.removeAll()),
  }
}

const tooManyRatings = (retryAfterMs: number) =>
  new AppError(
    'rate_limit_exceeded',
    `This key has sent ${maxRatingsPerDay} ratings in 24 hours, which is the limit. Send the next one after the time in Retry-After.`,
    { retryAfterMs, limitRequests: maxRatingsPerDay },
  )
