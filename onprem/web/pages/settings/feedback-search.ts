import { z } from 'zod/mini'

export const feedbackKinds = { unanswered: 'Without an answer', unhelpful: 'Did not help', helpful: 'Helped' } as const
export type FeedbackKind = keyof typeof feedbackKinds

/** The parameters in the address of the page. */
export const feedbackSearch = z.object({
  kind: z.catch(z.optional(z.enum(Object.keys(feedbackKinds) as FeedbackKind[])), undefined),
  libraryId: z.catch(z.optional(z.string()), undefined),
  page: z.catch(z.optional(z.int().check(z.positive())), undefined),
})
export type FeedbackSearch = z.infer<typeof feedbackSearch>
