import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { siteOf } from '../access/browser-url.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { GivenPassword } from '../accounts/passwords.ts'
import {
  addApp,
  addPasskey,
  confirmPassword,
  isConfirmed,
  type ManageFactorPorts,
  type Own,
  removeApp,
  removePasskey,
  renewRecoveryCodes,
  startApp,
  startNewPasskey,
} from '../actions/manage-second-factor.ts'
import { NewCredential } from '../second-factor/passkey-checks.ts'
import { PasskeyOptions, requestHeaders, withCookies } from './sessions.ts'

const maxBodyBytes = 16 * 1024

const FactorAnswer = z
  .object({
    required: z.boolean().describe('The setting accounts.requireSecondFactor'),
    confirmed: z.boolean().describe('The password was typed in this session in the last ten minutes, which changes need'),
    app: z
      .object({ createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime().nullable() })
      .nullable()
      .describe('The authenticator app'),
    passkeys: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        host: z.string().describe('The host name in the address of this server, for which alone it is valid'),
        createdAt: z.iso.datetime(),
        lastUsedAt: z.iso.datetime().nullable(),
      }),
    ),
    recoveryCodes: z.int().describe('Recovery codes that are left'),
  })
  .meta({ id: 'SecondFactor' })
const NewAppAnswer = z.object({
  secret: z.string().describe('In base32, to type into the app'),
  address: z.string().describe('The otpauth address, for a QR code'),
})
const AddedAnswer = z.object({
  message: z.string(),
  recoveryCodes: z.array(z.string()).describe('Shown once; empty if the user has some already'),
})
const CodesAnswer = z.object({ recoveryCodes: z.array(z.string()) })
const Message = z.object({ message: z.string() })

const Empty = z.strictObject({})
const AppCode = z.strictObject({ code: z.string().max(20).describe('The code that the app shows') })
const NewPasskey = z.strictObject({
  name: shortText(60).describe('By which you recognise it'),
  credential: NewCredential.describe('What the browser returned for the options: `RegistrationResponseJSON`'),
})
const PasskeyId = z.object({ id: z.string().min(1).max(2_000) })
const Confirmation = z.strictObject({ password: GivenPassword })

type SecondFactorPorts = RightPorts &
  ManageFactorPorts & { accounts: Pick<Accounts, 'session'>; publicUrl: PublicUrl | undefined }

/** The second factor of the caller's user. Only a session changes it. */
export const secondFactorRoutes = (ports: SecondFactorPorts) => {
  const own = async (c: Context<CallerEnv>): Promise<Own> => {
    const caller = c.get('caller')
    const session = caller.holder?.via === 'session' ? await ports.accounts.session(requestHeaders(c)) : undefined
    return { caller, sessionId: session?.id }
  }
  return new Hono<CallerEnv>()
    .basePath('/account/second-factor')
    .get(
      '/',
      describeRoute({
        operationId: 'getSecondFactor',
        tags: ['Accounts'],
        summary: 'Get your second factor',
        description: 'What your sign-in asks for after the password.',
        responses: { 200: json(FactorAnswer, 'Your second factor') },
      }),
      requireRight(ports, 'change'),
      async (c) => {
        const { caller, sessionId } = await own(c)
        const userId = caller.holder?.userId ?? ''
        return c.json({
          required: ports.settings.get('accounts.requireSecondFactor'),
          confirmed: isConfirmed(ports, userId, sessionId),
          app: ports.factors.app(userId) ?? null,
          passkeys: ports.passkeys.list(userId),
          recoveryCodes: ports.factors.recoveryCodes(userId),
        })
      },
    )
    .post(
      '/confirm',
      describeRoute({
        operationId: 'confirmPassword',
        tags: ['Accounts'],
        summary: 'Confirm your password',
        description: 'Lets this session change the second factor for ten minutes. Not needed in the ten minutes after a sign-in.',
        responses: { 200: json(Message, 'Confirmed') },
        errors: [429],
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', Confirmation),
      async (c) => {
        await confirmPassword(ports, await own(c), c.req.valid('json').password)
        return c.json({ message: 'Confirmed for ten minutes.' })
      },
    )
    .post(
      '/app/start',
      describeRoute({
        operationId: 'startAuthenticatorApp',
        tags: ['Accounts'],
        summary: 'Begin to add an authenticator app',
        description: 'Returns a new secret (TOTP, RFC 6238). The app is asked at sign-ins once it has shown a code.',
        responses: { 200: json(NewAppAnswer, 'The secret') },
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', Empty),
      async (c) => withCookies(c.json(startApp(ports, await own(c), siteOf(ports, c).host)), []),
    )
    .post(
      '/app',
      describeRoute({
        operationId: 'addAuthenticatorApp',
        tags: ['Accounts'],
        summary: 'Add an authenticator app',
        description:
          'Adds the app that this session has begun, instead of an older one, and ends your other sessions. With the first factor, ten recovery codes are returned.',
        responses: { 200: json(AddedAnswer, 'Added') },
        errors: [429],
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', AppCode),
      async (c) => {
        const { recoveryCodes } = addApp(ports, await own(c), c.req.valid('json').code)
        return withCookies(c.json({ message: 'Added. Every other session has ended.', recoveryCodes }), [])
      },
    )
    .delete(
      '/app',
      describeRoute({
        operationId: 'removeAuthenticatorApp',
        tags: ['Accounts'],
        summary: 'Remove your authenticator app',
        description:
          'With the last factor, the recovery codes are deleted. Rejected if a second factor is required and this is the last.',
        responses: { 200: json(Message, 'Removed') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      async (c) => {
        removeApp(ports, await own(c))
        return c.json({ message: 'The authenticator app is removed.' })
      },
    )
    .post(
      '/passkeys/start',
      describeRoute({
        operationId: 'startNewPasskey',
        tags: ['Accounts'],
        summary: 'Begin to add a passkey',
        description:
          'Returns the options for `navigator.credentials.create`. A passkey is for the host name in the address of this server.',
        responses: { 200: json(PasskeyOptions, 'The options') },
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', Empty),
      async (c) => {
        const options: Record<string, unknown> = { ...(await startNewPasskey(ports, await own(c), siteOf(ports, c))) }
        return withCookies(c.json({ options }), [])
      },
    )
    .post(
      '/passkeys',
      describeRoute({
        operationId: 'addPasskey',
        tags: ['Accounts'],
        summary: 'Add a passkey',
        description:
          'Adds the passkey that this session has begun, and ends your other sessions. With the first factor, ten recovery codes are returned.',
        responses: { 200: json(AddedAnswer, 'Added') },
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', NewPasskey),
      async (c) => {
        const { recoveryCodes } = await addPasskey(ports, await own(c), siteOf(ports, c), c.req.valid('json'))
        return withCookies(c.json({ message: 'Added. Every other session has ended.', recoveryCodes }), [])
      },
    )
    .delete(
      '/passkeys/:id',
      describeRoute({
        operationId: 'removePasskey',
        tags: ['Accounts'],
        summary: 'Remove one of your passkeys',
        description:
          'With the last factor, the recovery codes are deleted. Rejected if a second factor is required and this is the last.',
        responses: { 200: json(Message, 'Removed') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      input('param', PasskeyId),
      async (c) => {
        removePasskey(ports, await own(c), c.req.valid('param').id)
        return c.json({ message: 'The passkey is removed.' })
      },
    )
    .post(
      '/recovery-codes',
      describeRoute({
        operationId: 'renewRecoveryCodes',
        tags: ['Accounts'],
        summary: 'Make new recovery codes',
        description: 'Returns ten codes, each of which replaces the second factor once. The old ones are void.',
        responses: { 200: json(CodesAnswer, 'The codes, shown once') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      async (c) => withCookies(c.json({ recoveryCodes: renewRecoveryCodes(ports, await own(c)) }), []),
    )
}
