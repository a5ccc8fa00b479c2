import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { signedIn } from '../access/guards.ts'
import { removeOwnCookie, type SessionEnv } from '../access/session.ts'
import { type DeleteAccountPorts, deleteAccount } from '../actions/delete-account.ts'
import { type AccountDataPorts, accountData } from '../queries/account-data.ts'
import { AccountData, CookieHeader, FileHeader, Message } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'

const Confirmation = z.strictObject({ email: z.string().max(254) })

/** A person downloads and deletes what is stored about them. */
export const accountRoutes = (ports: AccountDataPorts & DeleteAccountPorts & { url: string }) =>
  new Hono<SessionEnv>()
    .get(
      '/account/data',
      signedIn(),
      describeRoute({
        operationId: 'downloadAccount',
        tags: ['Account'],
        summary: 'Download what is stored about the user',
        description: 'The user, the sessions, and of each teamspace the keys, the sent invitations and the changes of the user.',
        responses: { 200: json(AccountData, 'The data', FileHeader) },
      }),
      async (c) => {
        c.header('content-disposition', 'attachment; filename="carrel-account.json"')
        return c.json(await accountData(ports, c.get('session').user))
      },
    )
    .delete(
      '/account',
      signedIn(),
      describeRoute({
        operationId: 'deleteAccount',
        tags: ['Account'],
        summary: 'Delete the account of the user',
        description:
          'Ends the memberships, keys and sessions. The address confirms it. The last owner of a teamspace first makes another member an owner, or deletes the teamspace.',
        responses: { 200: json(Message, 'It is deleted', CookieHeader) },
      }),
      jsonBody(maxBodyBytes),
      input('json', Confirmation),
      async (c) => {
        await deleteAccount(ports, c.get('session').user, c.req.valid('json').email)
        removeOwnCookie(c, ports.url, 'session')
        return c.json({ message: 'Your account is deleted.' })
      },
    )
