import type { Context as Call } from 'hono'
import type { AccessEnv } from '../access.ts'
import { clientAddress } from '../accounts/request-address.ts'
import type { App } from '../app.ts'

type Ports = Pick<App, 'questions' | 'trustedProxies'>

/** Answers a question of a caller with a key or a session; an anonymous one as soon as its address may ask one more. */
export function admit<T>({ questions, trustedProxies }: Ports, c: Call, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { holder }: AccessEnv['Variables']['caller'] = c.get('caller')
  return holder ? work() : questions.from(clientAddress(c, trustedProxies), work, signal)
}
