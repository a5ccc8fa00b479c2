import type { z } from 'zod'
import type { LibraryId } from '../../shared/library.ts'
import { ContextQuery } from '../../shared/search/get-context.ts'
import { renderText } from '../../shared/search/render-answer.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import { type AnswerContextPorts, answerContext } from '../queries/answer-context.ts'
import { answerPages } from '../queries/answer-pages.ts'
import { anonymous } from './anonymous.ts'
import { llmsText } from './llms-text.ts'
import { publicLibrary } from './public-libraries.ts'

export const LlmsQuery = ContextQuery.omit({ libraryId: true, type: true }).partial({ query: true })

type LibraryTextPorts = AnswerContextPorts & { names: NamedLibraries; usage: RequestUsage | undefined }
type Request = z.infer<typeof LlmsQuery> & { site: string; id: LibraryId }

/** A public library as text: the answer to a question, or the list of its pages. Counts as one use. Throws what `answerContext` throws. */
export async function libraryText(ports: LibraryTextPorts, request: Request, signal: AbortSignal): Promise<string> {
  const { site, id, query, ...options } = request
  const { usage } = ports
  const library = await publicLibrary(ports, id)
  if (query !== undefined)
    return renderText(await answerContext(ports, { ...options, query, libraryId: id }, { caller: anonymous, usage }, signal))
  const outline = await answerPages(ports, anonymous, usage).outline({ libraryId: id })
  return llmsText({ site, id, library, outline })
}
