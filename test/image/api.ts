import { equal } from 'node:assert/strict'
import { cookiesOf } from '../fixtures/sign-in.ts'

type Sent = { method?: string; body?: unknown; cookie?: string; key?: string }

/** The requests of a person or a program to the server in a container. */
export function api(url: string) {
  async function call(path: string, status: number, { method = 'GET', body, cookie, key }: Sent = {}): Promise<Response> {
    const isForm = body instanceof FormData
    const headers = {
      ...(cookie && { cookie, origin: url }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    }
    const sent = isForm || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: sent }) })
    equal(answer.status, status, `${method} ${path}: ${answer.status} ${answer.ok ? '' : await answer.clone().text()}`)
    return answer
  }
  return {
    call,
    json: async <Answer>(path: string, sent?: Sent & { status?: number }) =>
      (await call(path, sent?.status ?? 200, sent)).json() as Promise<Answer>,
    async signIn(username: string, password: string): Promise<string> {
      const body = { username, password }
      const answer = await call('/api/auth/session/sign-in/username', 200, { method: 'POST', body })
      return cookiesOf(answer.headers.getSetCookie())
    },
    async isIdle(key: string): Promise<boolean> {
      const answer = await call('/api/parse-status', 200, { key })
      return Object.keys(((await answer.json()) as { activeParses: object }).activeParses).length === 0
    },
  }
}
