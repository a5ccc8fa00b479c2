import type { BlockList } from 'node:net'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { clientAddress, fullClientAddress } from '../../shared/http/client-address.ts'
import { isSecure } from '../../shared/http/is-own-origin.ts'
import { requestLog } from '../../shared/http/log-requests.ts'
import { bearerKey, requestKey } from '../../shared/http/request-key.ts'
import { isInSubnets } from '../../shared/http/subnet.ts'
import type { Log } from '../../shared/log.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { asDamage } from '../../shared/store/database.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { CommandToken, KeyStore } from '../accounts/key-store.ts'
import { mustAddFactor, mustChange } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { signsIn } from '../accounts/ways-to-sign-in.ts'
import { accessPrefix, type OauthStore } from '../oauth/oauth-store.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import { resourceOf } from './browser-url.ts'
import { type CallerEnv, commandLine, type Holder, hasRight, type Right, type RightPorts } from './caller.ts'
import { rejectForeignPage } from './reject-foreign-page.ts'

/** Sessions are ignored here: MCP clients use keys, and no page of this server calls it. */
const keysOnly = '/mcp'

/** The paths that need a changed password, except those below. */
const guarded = /^\/(api\/|metrics$)/

/** The paths that a user can call before a password is changed that others may know. */
const openBeforeChange = [
  '/api/health',
  '/api/ready',
  '/api/auth/mcp',
  '/api/openapi.json',
  '/api/account/credentials',
  '/api/auth/session/sign-in/username',
  '/api/auth/session/sign-in/passkey',
  '/api/auth/session/sign-in/second-step',
  '/api/auth/session/sign-out',
  '/api/auth/session/get-session',
]

/** Somebody else may sign in instead. */
const openFolder = '/api/auth/oidc'

/** The folder that a user can also call who has to add a second factor. */
const factorFolder = '/api/account/second-factor'

/** They report damage to operators, so they respond even if damage prevents identifying the caller. */
const statusPaths = ['/api/health', '/api/ready']

type HolderPorts = {
  settings: Pick<SettingsStore, 'get'>
  commandToken: Pick<CommandToken, 'matches'>
  keys: Pick<KeyStore, 'find'>
  accounts: Pick<Accounts, 'session'>
  users: Pick<UserStore, 'find' | 'endSessionOf'>
  oauth: Pick<OauthStore, 'find'>
  publicUrl: PublicUrl | undefined
  /** The proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: BlockList
}
type IdentifyPorts = HolderPorts & { damage: Pick<Damage, 'note'>; log: Log }

/** Sets the caller: a command on this machine, the holder of a valid key, else the signed-in user, else anonymous. Throws forbidden if the session must not be used. */
export const identify = (ports: IdentifyPorts) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const key = requestKey(c)
    const sentKey = key !== undefined
    try {
      const holder = await holderOf(ports, c, key)
      const { address } = holder?.via === 'command' ? commandLine : { address: clientAddress(c, ports.trustedProxies) }
      c.set('caller', { holder, sentKey, address })
    } catch (error) {
      const isForbidden = error instanceof AppError && error.code === 'forbidden'
      if (isForbidden || !statusPaths.includes(c.req.path)) throw error
      ports.damage.note(error)
      requestLog(c, ports.log).error({ error: asDamage(error) }, 'a caller could not be identified')
      c.set('caller', { holder: undefined, sentKey, unidentified: true })
    }
    await next()
  })

/** With `watch`, the call does not count as a use of the session. */
async function holderOf(ports: HolderPorts, c: Context, key: string | undefined, watch = false): Promise<Holder | undefined> {
  if (ports.commandToken.matches(bearerKey(c))) return commandLine.holder
  const foundKey = key === undefined ? undefined : ports.keys.find(key)
  if (key?.startsWith(accessPrefix) && c.req.path === keysOnly) return tokenHolder(ports, c, key)
  if (foundKey?.addresses && !isInSubnets(fullClientAddress(c, ports.trustedProxies), foundKey.addresses)) return undefined
  return foundKey ? { ...foundKey, via: 'key' } : signedIn(ports, c, watch)
}

/** A client of MCP, which reads in the name of a user. */
function tokenHolder({ oauth, users, publicUrl, settings }: HolderPorts, c: Context, token: string): Holder | undefined {
  const found = oauth.find(token, resourceOf({ publicUrl }, c))
  const user = found && users.find(found.userId)
  if (!found || !user || user.disabled || !signsIn({ settings }, user.issuer) || mustChange(user)) return undefined
  return {
    id: found.grantId,
    role: 'member',
    readOnly: true,
    ...(user.role === 'admin' && { readsAll: true }),
    name: found.client,
    userId: user.id,
    username: user.username,
    via: 'key',
  }
}

async function signedIn(ports: HolderPorts, c: Context, watch: boolean): Promise<Holder | undefined> {
  const { accounts, users, publicUrl, settings } = ports
  if (c.req.path === keysOnly) return undefined
  const session = await accounts.session({ headers: c.req.raw.headers, secure: isSecure(c) }, { watch })
  const user = session && users.find(session.userId)
  if (!user || user.disabled) return undefined
  if (!signsIn({ settings }, user.issuer)) {
    users.endSessionOf(user.id, session.id)
    return undefined
  }
  if (!['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) rejectForeignPage(c, { withoutOrigin: 'foreign', publicUrl })
  if (mustChange(user) && guarded.test(c.req.path) && !isOpenBeforeChange(c.req.path)) {
    const reason = user.defaultPair ? 'This user still has the initial password' : 'Someone else set the password of this user'
    throw new AppError('forbidden', `${reason}. Choose a user name and a password first, with POST /api/account/credentials.`)
  }
  if (mustAddFactor(ports, user) && guarded.test(c.req.path) && !isOpenBeforeFactor(c.req.path))
    throw new AppError(
      'forbidden',
      'This install requires a second factor. Sign in in a browser and add an authenticator app or a passkey first.',
    )
  return { id: user.id, role: user.role, name: user.username, userId: user.id, username: user.username, via: 'session' }
}

const isOpenBeforeChange = (path: string): boolean => openBeforeChange.includes(path) || isIn(openFolder, path)

const isOpenBeforeFactor = (path: string): boolean => isOpenBeforeChange(path) || isIn(factorFolder, path)

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`)

export type StillAllowedPorts = RightPorts & HolderPorts

/**
 * Identifies the caller of a long response again. True if the key or session is still valid and has the right. An anonymous caller keeps only
 * the rights that everyone has.
 */
export async function stillAllowed(ports: StillAllowedPorts, c: Context<CallerEnv>, right: Right): Promise<boolean> {
  const caller = c.get('caller')
  const { holder: before } = caller
  try {
    const holder = await holderOf(ports, c, requestKey(c), true)
    // Their rights can have changed.
    c.set('caller', { ...caller, holder })
    return holder?.id === before?.id && hasRight(ports, right, holder)
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false
    throw error
  }
}
