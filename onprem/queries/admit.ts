import type { Context as Call } from 'hono'
import type { CallerEnv } from '../access/caller.ts'
import { clientAddress } from '../accounts/request-address.ts'
import type { App } from '../app.ts'

/** Answers a question as soon as the caller may ask one more: the holder of a key or a session, else the address. */
export function admit<T>(app: App, c: Call, signal: AbortSignal, work: (app: App) => Promise<T>): Promise<T> {
  const { questions, trustedProxies } = app
  const { holder }: CallerEnv['Variables']['caller'] = c.get('caller')
  if (holder) return questions.from(`${holder.via} ${holder.id}`, () => work(app), signal)
  const anonymous: App = { ...app, questions: { ...questions, inTurn: questions.inAnonymousTurn } }
  return questions.from(`address ${clientAddress(c, trustedProxies)}`, () => work(anonymous), signal)
}
