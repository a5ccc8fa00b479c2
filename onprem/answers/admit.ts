import type { Context as Call } from 'hono'
import type { AccessEnv } from '../access.ts'
import { clientAddress } from '../accounts/request-address.ts'
import type { App } from '../app.ts'

/** Answers a question of a caller with a key or a session; an anonymous one as soon as its address may ask one more. */
export function admit<T>(app: App, c: Call, signal: AbortSignal, work: (app: App) => Promise<T>): Promise<T> {
  const { questions, trustedProxies } = app
  const { holder }: AccessEnv['Variables']['caller'] = c.get('caller')
  if (holder) return work(app)
  const anonymous: App = { ...app, questions: { ...questions, inTurn: questions.inAnonymousTurn } }
  return questions.from(clientAddress(c, trustedProxies), () => work(anonymous), signal)
}
