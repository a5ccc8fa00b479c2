import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { SignedInUser, signedInUser } from '../accounts/signed-in-user.ts'
import { type ChangeCredentialsPorts, Credentials, changeCredentials } from '../actions/change-credentials.ts'
import { requestHeaders, sessionHeaders, withCookies } from './sessions.ts'

const maxBodyBytes = 16 * 1024

const CredentialsAnswer = z.object({ message: z.string(), user: SignedInUser })

type AccountRoutesPorts = RightPorts & ChangeCredentialsPorts & { accounts: Pick<Accounts, 'beginSession' | 'session'> }

export const accountRoutes = (ports: AccountRoutesPorts) =>
  new Hono<CallerEnv>().post(
    '/account/credentials',
    describeRoute({
      operationId: 'changeCredentials',
      tags: ['Accounts'],
      summary: 'Change your user name and password',
      description:
        'Ends all of your sessions. The session that sends the request continues with a new cookie. A change of the initial password, or of one that someone else set, needs no current password in the 15 minutes after the sign-in.',
      responses: { 200: json(CredentialsAnswer, 'Credentials changed', sessionHeaders) },
      errors: [429],
    }),
    requireRight(ports, 'change'),
    jsonBody(maxBodyBytes),
    input('json', Credentials),
    async (c) => {
      const caller = c.get('caller')
      const session = caller.holder?.via === 'session' ? await ports.accounts.session(requestHeaders(c)) : undefined
      const id = await changeCredentials(ports, caller, c.req.valid('json'), session?.id)
      const answer = c.json({ message: 'Changed. Every other session has ended.', user: signedInUser(ports, id) })
      if (caller.holder?.via !== 'session') return answer
      return withCookies(answer, (await ports.accounts.beginSession({ userId: id }, requestHeaders(c))).cookies)
    },
  )
