import { type FoundLibraries, searchLibraries } from '../../shared/search/libraries/search-libraries.ts'
import type { QuestionQueue } from '../../shared/search/question/question-queue.ts'
import type { Caller } from '../access/caller.ts'
import { type ViewPorts, viewOf } from '../access/visibility.ts'
import { type NameUnservedPorts, nameUnserved } from './name-unserved.ts'

export type AnswerSearchPorts = ViewPorts & NameUnservedPorts & { questions: Pick<QuestionQueue, 'run'> }

/** The libraries that a name may mean, without those that are hidden from the caller or that the policy of its license excludes. */
export async function answerSearch(
  ports: AnswerSearchPorts,
  query: { libraryName: string; query?: string },
  caller: Caller,
  signal: AbortSignal,
): Promise<FoundLibraries> {
  const view = await viewOf(ports, caller)
  try {
    return await ports.questions.run(() => searchLibraries({ catalog: ports.names }, query, view), signal)
  } catch (error) {
    signal.throwIfAborted()
    throw await nameUnserved(ports, { caller, allows: view.allows }, query.libraryName, error)
  }
}
