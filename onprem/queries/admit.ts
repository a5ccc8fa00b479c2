import type { BlockList } from 'node:net'
import type { Context } from 'hono'
import { clientAddress } from '../../shared/http/client-address.ts'
import type { QuestionQueue } from '../../shared/search/question/question-queue.ts'
import type { CallerEnv } from '../access/caller.ts'

export type CallerNamePorts = { trustedProxies: BlockList }

/** Names a caller for limits: by the key or session, else by the address. */
export function callerName({ trustedProxies }: CallerNamePorts, c: Context): string {
  const { holder }: CallerEnv['Variables']['caller'] = c.get('caller')
  return holder ? `${holder.via} ${holder.id}` : `address ${clientAddress(c, trustedProxies)}`
}

type AdmitPorts = CallerNamePorts & { questions: QuestionQueue }

/** Answers a question when the limits of its caller allow it. */
export function admit<Ports extends AdmitPorts, T>(
  ports: Ports,
  c: Context,
  signal: AbortSignal,
  answer: (ports: Ports) => Promise<T>,
): Promise<T> {
  const { questions } = ports
  const { holder }: CallerEnv['Variables']['caller'] = c.get('caller')
  if (holder) return questions.runFor(callerName(ports, c), () => answer(ports), signal)
  const anonymous: Ports = { ...ports, questions: { ...questions, run: questions.runAnonymous } }
  return questions.runFor(callerName(ports, c), () => answer(anonymous), signal)
}
