import type { Context } from 'hono'
import { requestLog } from '../../shared/http/log-requests.ts'
import type { ServerLog } from '../../shared/log.ts'
import type { EmbedQuestion } from '../../shared/search/question/embed-question.ts'
import type { Rerank } from '../../shared/search/reranking/rerank.ts'
import { modelFailures } from '../support/model-failures.ts'

/** The same ports, which log with the id of the request. */
export function forRequest<Ports extends { log: ServerLog; embedQuestion: EmbedQuestion; rerank: Rerank }>(
  ports: Ports,
  c: Context,
): Ports {
  const log = requestLog(c, ports.log)
  const failures = modelFailures(log)
  return {
    ...ports,
    log,
    embedQuestion: (question, space, signal) => ports.embedQuestion(question, space, signal, failures.embedding),
    rerank: (question, generation, ranked, signal) => ports.rerank(question, generation, ranked, signal, failures.reranking),
  }
}
