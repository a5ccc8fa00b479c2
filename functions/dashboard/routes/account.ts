import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { signedIn } from '../access/guards.ts'
import { removeOwnCookie, type SessionEnv } from '../access/session.ts'
import { type DeleteAccountPorts, deleteAccount } from '../actions/delete-account.ts'
import { type AccountDataPorts, accountData } from '../queries/account-data.ts'
import { maxBodyBytes } from './body-limit.ts'

const Confirmation = z.strictObject({ email: z.string().max(254) })

/** A person downloads and deletes what is stored about them. */
export const accountRoutes = (ports: AccountDataPorts & DeleteAccountPorts & { url: string }) =>
  new Hono<SessionEnv>()
    .get('/account/data', signedIn(), async (c) => {
      c.header('content-disposition', 'attachment; filename="carrel-account.json"')
      return c.json(await accountData(ports, c.get('session').user))
    })
    .delete('/account', signedIn(), jsonBody(maxBodyBytes), input('json', Confirmation), async (c) => {
      await deleteAccount(ports, c.get('session').user, c.req.valid('json').email)
      removeOwnCookie(c, ports.url, 'session')
      return c.json({ message: 'Your account is deleted.' })
    })
