import type { BlockList } from 'node:net'
import type { Context as Call } from 'hono'
import type { QuestionQueue } from '../../shared/search/question-queue.ts'
import type { CallerEnv } from '../access/caller.ts'
import { clientAddress } from '../accounts/client-address.ts'

type AdmitPorts = { questions: QuestionQueue; trustedProxies: BlockList }

/** Answers a question when the limits of its caller allow it. Callers are identified by their key or session, else by their address. */
export function admit<Ports extends AdmitPorts, T>(
  ports: Ports,
  c: Call,
  signal: AbortSignal,
  answer: (ports: Ports) => Promise<T>,
): Promise<T> {
  const { questions, trustedProxies } = ports
  const { holder }: CallerEnv['Variables']['caller'] = c.get('caller')
  if (holder) return questions.runFor(`${holder.via} ${holder.id}`, () => answer(ports), signal)
  const anonymous: Ports = { ...ports, questions: { ...questions, run: questions.runAnonymous } }
  return questions.runFor(`address ${clientAddress(c, trustedProxies)}`, () => answer(anonymous), signal)
}
