import type { UseQueryResult } from '@tanstack/react-query'
import type { Setting } from './playground-search.ts'
import type { Rating } from './rate-answer.tsx'
import type { ShownAnswer } from './shown-answer.ts'

/** A hook that asks a library a question. */
export type UseAnswer = (asked: { library: string; question: string }, setting: Setting) => UseQueryResult<ShownAnswer>

/** A hook that returns the ids of the first libraries whose names match, and of their versions; those of the last name while it loads. */
export type UseLibraryIds = (name: string) => { ids: readonly string[]; isLoading: boolean }

/** The data and actions that a half of Carrel gives to the playground. */
export type PlaygroundSource = {
  useAnswer: UseAnswer
  /** The address of the API, without a trailing slash. */
  server: string
  /** Stores a rating. Absent if no feedback is kept. */
  rate?: ((rating: Rating) => Promise<unknown>) | undefined
  /** The libraries that can be asked and compared. */
  useLibraryIds: UseLibraryIds
  /** False if the page is about one library, which cannot be changed. */
  choosesLibraries: boolean
}
