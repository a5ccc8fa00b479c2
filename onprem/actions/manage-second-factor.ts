import { AppError, invalidField } from '../../shared/errors.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { mustAddFactor, type User } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { FactorStore } from '../second-factor/factor-store.ts'
import { creationOptions, type NewCredential, readNewPasskey, type Site } from '../second-factor/passkey-checks.ts'
import type { PasskeyStore } from '../second-factor/passkey-store.ts'
import type { PasskeyChallenge } from '../second-factor/second-step.ts'
import type { ShortLived } from '../second-factor/short-lived.ts'
import { newTotpSecret, stepOfCode, totpAddress } from '../second-factor/totp.ts'

/** An app that has not shown a code yet. */
export type NewApp = { secret: string }

export type ManageFactorPorts = {
  users: Pick<UserStore, 'find' | 'hashOf' | 'sessions' | 'endSessionsOf'>
  factors: FactorStore
  passkeys: PasskeyStore
  passkeyChallenges: ShortLived<PasskeyChallenge>
  newApps: ShortLived<NewApp>
  /** The sessions in which the password was typed again. */
  passwordProofs: ShortLived<object>
  passwords: Pick<Passwords, 'verify'>
  attempts: Pick<Attempts, 'take'>
  settings: Pick<SettingsStore, 'get'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  now(): Date
}

/** The caller's user, and the session of the request. */
export type Own = { caller: Caller; sessionId: string | undefined }

/** A user whose sign-in is this recent need not type the password again. */
const freshMs = 10 * 60_000
/** Attempts of one user: a stolen session must not allow guessing. */
const perUser = { maxAttempts: 10, spanMs: 60_000 }

const maxPasskeys = 20

/** True if the password was typed in this session in the last ten minutes. */
export function isConfirmed({ users, passwordProofs, now }: ManageFactorPorts, userId: string, sessionId?: string): boolean {
  const session = users.sessions(userId).find(({ id }) => id === sessionId)
  if (session === undefined) return false
  const ageMs = now().getTime() - Date.parse(session.createdAt)
  return (ageMs >= 0 && ageMs <= freshMs) || passwordProofs.find(session.id) !== undefined
}

/** Accepts changes in this session for ten minutes. Throws validation_error for a wrong password, rate_limit_exceeded. */
export async function confirmPassword(ports: ManageFactorPorts, own: Own, password: string): Promise<void> {
  const { user, sessionId } = ownUser(own, ports)
  ports.attempts.take(`credentials of ${user.id}`, perUser)
  if (!(await ports.passwords.verify(password, ports.users.hashOf(user.id))))
    throw invalidField('password', 'is not your password')
  ports.passwordProofs.set(sessionId, {})
}

/** A secret for an authenticator app, which counts when the app has shown a code. */
export function startApp(ports: ManageFactorPorts, own: Own, host: string): { secret: string; address: string } {
  const { user, sessionId } = confirmedUser(ports, own)
  const secret = newTotpSecret()
  ports.newApps.set(sessionId, { secret })
  return { secret, address: totpAddress(secret, user.username, host) }
}

/** Adds the app that was begun in this session, instead of an older one. Returns recovery codes if the user had none. Throws validation_error for a wrong code. */
export function addApp(ports: ManageFactorPorts, own: Own, code: string): { recoveryCodes: string[] } {
  const { user, sessionId } = confirmedUser(ports, own)
  const app = ports.newApps.find(sessionId)
  if (!app) throw new AppError('validation_error', 'No app was begun in this session in the last ten minutes. Begin again.')
  ports.attempts.take(`new app of ${user.id}`, perUser)
  const step = stepOfCode(app.secret, code.replaceAll(/\s/g, ''), ports.now())
  if (step === undefined) throw invalidField('code', 'is not what the app shows now; check the clock of the device')
  const added = addFactor(ports, own, 'authenticator app', () => ports.factors.setApp(user.id, app.secret, step))
  ports.newApps.end(sessionId)
  return added
}

/** Throws not_found without an app, forbidden if a second factor is required and this is the last one. */
export function removeApp(ports: ManageFactorPorts, own: Own): void {
  const userId = own.caller.holder?.userId ?? ''
  if (!ports.factors.app(userId)) throw new AppError('not_found', 'You have no authenticator app.')
  removeFactor(ports, own, 'authenticator app', () => void ports.factors.removeApp(userId))
}

/** The options with which a browser makes a passkey. Throws validation_error for an IP address, forbidden after too many passkeys. */
export async function startNewPasskey(ports: ManageFactorPorts, own: Own, site: Site) {
  const { user, sessionId } = confirmedUser(ports, own)
  const passkeys = ports.passkeys.list(user.id)
  if (passkeys.length >= maxPasskeys)
    throw new AppError('forbidden', `You have ${maxPasskeys} passkeys, which is the limit. Remove one first.`)
  const options = await creationOptions(site, user, passkeys)
  ports.passkeyChallenges.set(challengeKey(sessionId), { challenge: options.challenge })
  return options
}

/** Adds the passkey that was begun in this session. Returns recovery codes if the user had none. Throws validation_error. */
export async function addPasskey(
  ports: ManageFactorPorts,
  own: Own,
  site: Site,
  { name, credential }: { name: string; credential: NewCredential },
): Promise<{ recoveryCodes: string[] }> {
  const { user, sessionId } = confirmedUser(ports, own)
  const asked = ports.passkeyChallenges.take(challengeKey(sessionId))
  if (!asked) throw new AppError('validation_error', 'No passkey was begun in this session in the last ten minutes. Begin again.')
  const { id, ...key } = await readNewPasskey(site, asked.challenge, name, credential)
  return addFactor(ports, own, `passkey ${name}`, () => {
    if (!ports.passkeys.add(user.id, id, key)) throw new AppError('validation_error', 'This passkey was added before.')
  })
}

const challengeKey = (sessionId: string) => `new in ${sessionId}`

/** Throws not_found without this passkey, forbidden if a second factor is required and this is the last one. */
export function removePasskey(ports: ManageFactorPorts, own: Own, id: string): void {
  const userId = own.caller.holder?.userId ?? ''
  const passkey = ports.passkeys.find(userId, id)
  if (!passkey) throw new AppError('not_found', 'You have no passkey with this id.')
  removeFactor(ports, own, `passkey ${passkey.name}`, () => void ports.passkeys.remove(userId, id))
}

/** Makes the old recovery codes void. Throws not_found without a second factor. */
export function renewRecoveryCodes(ports: ManageFactorPorts, own: Own): string[] {
  const userId = own.caller.holder?.userId ?? ''
  if (!ports.users.find(userId)?.hasSecondFactor) throw new AppError('not_found', 'You have no second factor.')
  const { user } = confirmedUser(ports, own)
  return ports.atomically(() => {
    record(ports, own, 'secondFactor.recoveryCodes', user.username)
    return ports.factors.renewRecoveryCodes(userId)
  })
}

/** Adds a factor, and ends the other sessions: they began without it. */
function addFactor(ports: ManageFactorPorts, own: Own, name: string, add: () => void): { recoveryCodes: string[] } {
  const { user, sessionId } = confirmedUser(ports, own)
  return ports.atomically(() => {
    add()
    ports.users.endSessionsOf(user.id, sessionId)
    record(ports, own, 'secondFactor.add', `${user.username} (${name})`)
    return { recoveryCodes: ports.factors.recoveryCodes(user.id) === 0 ? ports.factors.renewRecoveryCodes(user.id) : [] }
  })
}

function removeFactor(ports: ManageFactorPorts, own: Own, name: string, remove: () => void): void {
  const { user } = confirmedUser(ports, own)
  ports.atomically(() => {
    remove()
    const left = ports.users.find(user.id) as User
    if (mustAddFactor(ports, left))
      throw new AppError('forbidden', 'This install requires a second factor. Add another one before you remove the last.')
    if (!left.hasSecondFactor) ports.factors.removeAll(user.id)
    record(ports, own, 'secondFactor.remove', `${user.username} (${name})`)
  })
}

/** Throws forbidden if the caller has no session, signs in at an issuer, or has to type the password again. */
function confirmedUser(ports: ManageFactorPorts, own: Own): { user: User; sessionId: string } {
  const { user, sessionId } = ownUser(own, ports)
  if (!isConfirmed(ports, user.id, sessionId))
    throw new AppError(
      'forbidden',
      'Your sign-in was long ago. Confirm your password, with POST /api/account/second-factor/confirm.',
    )
  return { user, sessionId }
}

function ownUser({ caller, sessionId }: Own, { users }: Pick<ManageFactorPorts, 'users'>): { user: User; sessionId: string } {
  const user = users.find(caller.holder?.userId ?? '')
  if (caller.holder?.via !== 'session' || sessionId === undefined || user === undefined)
    throw new AppError('forbidden', 'Sign in in a browser to change your second factor: an API key cannot.')
  if (user.issuer !== null) throw new AppError('forbidden', 'You sign in at an issuer, which decides about a second factor.')
  return { user, sessionId }
}

const record = ({ audit }: Pick<ManageFactorPorts, 'audit'>, { caller }: Own, action: string, subject: string) =>
  audit.record({ actor: actorOf(caller), action, subject })
