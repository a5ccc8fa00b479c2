import { html } from 'hono/html'
import { AppError } from '../../shared/errors.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { Answer } from '../../shared/search/render-answer.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { type AnswerContextPorts, answerContext } from '../queries/answer-context.ts'
import { anonymous } from './anonymous.ts'
import type { Html } from './parts.ts'
import { snippetCard } from './snippet-card.ts'

export type AskPorts = AnswerContextPorts & {
  /** The usage of a question on a page. */
  usage: RequestUsage | undefined
}

const maxQuestionChars = 500
const answerTokens = 3_000

type Asked = { id: LibraryId; path: string; question: string | undefined }

/** A question and its answer, as agents get it. */
export async function askSection(ports: AskPorts, { id, path, question }: Asked, signal: AbortSignal): Promise<Html> {
  return html`<section aria-labelledby="ask">
<h2 id="ask">Try a question</h2>
<form class="search" action="${path}">
<input name="q" value="${question?.slice(0, maxQuestionChars) ?? ''}" aria-label="Question" placeholder="What do you want to do?" maxlength="${maxQuestionChars}" required>
<button>Ask</button>
</form>
${question === undefined ? '' : await answerPart(ports, { id, question }, signal)}
</section>`
}

async function answerPart(ports: AskPorts, asked: { id: LibraryId; question: string }, signal: AbortSignal): Promise<Html> {
  const answer = await findAnswer(ports, asked, signal)
  if (typeof answer === 'string') return html`<p role="status">${answer}</p>`
  const { snippets, notes = [] } = answer
  return html`<div class="answer" role="status">${notes.map((note) => html`<p>${note}</p>`)}</div>
${snippets.map(snippetCard)}`
}

/** The answer, or a sentence that says why there is none. */
async function findAnswer(
  ports: AskPorts,
  { id, question }: { id: LibraryId; question: string },
  signal: AbortSignal,
): Promise<Answer | string> {
  if (question.length > maxQuestionChars) return `Ask with at most ${maxQuestionChars} characters.`
  try {
    const query = { libraryId: id, query: question, tokens: answerTokens }
    return await answerContext(ports, query, { caller: anonymous, usage: ports.usage }, signal)
  } catch (error) {
    if (error instanceof AppError && error.code === 'no_snippets_found') return error.message
    throw error
  }
}
