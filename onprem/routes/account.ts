import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { AppError, invalidField } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { actorOf, type Caller, type CallerEnv, requireRight } from '../access/caller.ts'
import { GivenPassword, NewPassword } from '../accounts/passwords.ts'
import { Username } from '../accounts/user.ts'
import type { App } from '../app.ts'
import { cameWith, SignedInUser, sessionHeaders, signedInUser, withCookies } from './session.ts'

const bodyBytes = 16 * 1024
/** Of one user, right or wrong: who has got hold of a session may not try passwords without end. */
const perUser = { maxAttempts: 10, spanMs: 60_000 }

const Credentials = z.object({ currentPassword: GivenPassword, username: Username, password: NewPassword })
const CredentialsAnswer = z.object({ message: z.string(), user: SignedInUser })

export const accountRoutes = (app: App) =>
  new Hono<CallerEnv>().post(
    '/account/credentials',
    requireRight(app, 'member'),
    jsonBody(bodyBytes),
    input('json', Credentials),
    async (c) => {
      const { username, password } = c.req.valid('json')
      const caller = c.get('caller')
      const id = await changeCredentials(app, caller, c.req.valid('json'))
      const answer = c.json({ message: 'Changed. Every other session has ended.', user: signedInUser(app, id) })
      if (caller.holder?.via === 'key') return answer
      return withCookies(answer, (await app.accounts.signIn({ username, password }, cameWith(c))).cookies)
    },
  )

export const accountOperations: Operations = {
  '/account/credentials': {
    post: {
      operationId: 'changeCredentials',
      tags: ['Accounts'],
      summary: 'Change your user name and password',
      description: 'Ends all of your sessions. The session that sends the request continues with a new cookie.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: Credentials } } },
      responses: {
        200: { ...json(CredentialsAnswer, 'Credentials changed'), headers: sessionHeaders },
        ...errors(400, 401, 403, 413, 429),
      },
    },
  },
}

async function changeCredentials(
  { users, passwords, attempts, audit }: App,
  caller: Caller,
  { currentPassword, username, password }: z.output<typeof Credentials>,
): Promise<string> {
  const id = caller.holder?.userId ?? undefined
  if (id === undefined)
    throw new AppError('forbidden', 'This key belongs to the install and to no user, so it has no password to change.')
  attempts.take(`credentials of ${id}`, perUser)
  const wrong = invalidField('currentPassword', 'is not your password')
  const before = users.hashOf(id)
  if (!(await passwords.verify(currentPassword, before))) throw wrong
  const hash = await passwords.hash(password)
  // An admin may have set another one meanwhile, to shut out whoever knows this one.
  if (users.hashOf(id) !== before) throw wrong
  users.change(id, { username, hash })
  audit.record({ actor: actorOf(caller), action: 'credentials.change', subject: username })
  return id
}
