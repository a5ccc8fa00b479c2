import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type Caller, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Attempts } from '../accounts/attempts.ts'
import { createKey, type ManageKeysPorts } from '../actions/manage-keys.ts'
import type { DeviceLogins } from '../oauth/device-logins.ts'

const maxBodyBytes = 1_024
const keyMs = 90 * 86_400_000
/** Codes that one user tries. */
const perUser = { maxAttempts: 20, spanMs: 60_000 }

const Code = z.object({ code: z.string().min(1).max(20) })
const LoginAnswer = z.object({
  name: z.string().describe('The name that the command line gives itself'),
  address: z.string().describe('The address from which it asked'),
})
const Decision = z.strictObject({ allow: z.boolean() })
const Message = z.object({ message: z.string() })

type DeviceLoginPorts = RightPorts & ManageKeysPorts & { deviceLogins: DeviceLogins; attempts: Pick<Attempts, 'take'> }

/** Decisions of users about command lines that log in. */
export const deviceLoginRoutes = (ports: DeviceLoginPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/device-logins/:code',
      describeRoute({
        operationId: 'getDeviceLogin',
        tags: ['Accounts'],
        summary: 'Get the login of a command line',
        description: 'Takes the code that the command line shows.',
        responses: { 200: json(LoginAnswer, 'The login') },
        errors: [404, 429],
      }),
      requireRight(ports, 'change'),
      input('param', Code),
      (c) => {
        const { name, address } = findLogin(ports, c.get('caller'), c.req.valid('param').code)
        return c.json({ name, address })
      },
    )
    .post(
      '/device-logins/:code',
      describeRoute({
        operationId: 'decideDeviceLogin',
        tags: ['Accounts'],
        summary: 'Allow or refuse the login of a command line',
        description: 'Allowing it makes a key of the user, which the command line gets. Needs a session.',
        responses: { 200: json(Message, 'Decided') },
        errors: [404, 429],
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('param', Code),
      input('json', Decision),
      (c) => {
        const caller = c.get('caller')
        const { code } = c.req.valid('param')
        const { name } = findLogin(ports, caller, code)
        if (caller.holder?.via !== 'session') throw new AppError('forbidden', 'Sign in in a browser to decide about this login.')
        if (!c.req.valid('json').allow) {
          ports.deviceLogins.decide(code, undefined)
          return c.json({ message: `${name} gets no key.` })
        }
        const expiresAt = new Date(ports.now().getTime() + keyMs)
        ports.deviceLogins.decide(code, createKey(ports, caller, { name, expiresAt }).key)
        return c.json({ message: `${name} gets a key of yours for 90 days. Personal Settings lists it.` })
      },
    )

function findLogin(
  { deviceLogins, attempts }: DeviceLoginPorts,
  { holder }: Caller,
  code: string,
): { name: string; address: string } {
  const login = deviceLogins.find(code)
  if (login) return login
  attempts.take(`device codes of ${holder?.id}`, perUser)
  throw new AppError('not_found', 'No command line shows this code, or ten minutes have passed. Run "carrel login" again.')
}
