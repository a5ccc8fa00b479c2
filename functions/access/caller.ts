import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { requestKey } from '../../shared/http/request-key.ts'
import { withDocs } from '../../shared/http/route-docs.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { isExpired, type License } from '../../shared/keys/license.ts'
import { type Role, type Scope, scopes, type Teamspaces } from './teamspaces.ts'
import { type LicensePorts, unknownKey, verifyBearerLicense } from './verify-bearer-license.ts'

export type Caller =
  | { kind: 'anonymous' }
  | {
      kind: 'teamspace'
      /** Its id. */
      teamspace: string
      keyId: string
      role: Role
      scope: Scope
    }
  | { kind: 'license'; license: License }

/** The key of a teamspace, or a member at the dashboard, whose `keyId` is empty. */
export type TeamspaceCaller = Extract<Caller, { kind: 'teamspace' }>

export type CallerEnv = { Variables: { caller: Caller } }
export type CallerPorts = LicensePorts & { teamspaces: Pick<Teamspaces, 'findKey'> }

/** The limit is above the length of any license: the names in a license are bounded. */
const maxKeyChars = 8192

type Admit = (c: Context<CallerEnv>, caller: Caller) => Promise<void>

/**
 * Identifies the caller; anonymous if no key is sent. Throws invalid_api_key for an invalid key on every route, and what `admit` throws.
 * A request with an invalid key is admitted like one without, so that guessing keys is limited, too.
 */
export const identify = (ports: CallerPorts, admit: Admit = async () => undefined) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const key = requestKey(c)
    const caller: Caller = key === undefined ? anonymous : await readCaller(ports, key).catch(admitted)
    c.set('caller', caller)
    await admit(c, caller)
    await next()

    async function admitted(error: unknown): Promise<never> {
      if (error instanceof AppError && error.code === 'invalid_api_key') await admit(c, anonymous)
      throw error
    }
  })

const anonymous = { kind: 'anonymous' } as const

async function readCaller(ports: CallerPorts, key: string): Promise<Caller> {
  if (key.length > maxKeyChars) throw unknownKey()
  if (key.startsWith(keyPrefixes.hosted)) {
    const found = await ports.teamspaces.findKey(key)
    if (found === undefined) throw unknownKey()
    const { id, teamspace, role, scope, expiresAt } = found
    if (expiresAt !== undefined && isExpired({ expiresAt }, ports.now())) throw new AppError('invalid_api_key', expiredKey)
    return { kind: 'teamspace', teamspace, keyId: id, role, scope }
  }
  if (key.split('.', 4).length !== 3) throw unknownKey()
  return { kind: 'license', license: await verifyBearerLicense(ports, key) }
}

/** `anybody` excludes the holders of offline licenses, which are only for exports. `key` is that of a teamspace, or a license. */
export type RequiredCaller = 'anybody' | 'teamspace' | 'key' | 'offline license'

/**
 * Admits the callers that a route allows. Throws invalid_api_key if the route requires another kind of key, forbidden for the wrong
 * kind of license and for a teamspace's key whose scope is less than `scope`; the scope `admin` requires the role, too.
 */
export const requireCaller = (needed: RequiredCaller, scope: Scope = 'read') => {
  const gate = createMiddleware<CallerEnv>(async (c, next) => {
    const caller = c.get('caller')
    check(needed, caller)
    if (caller.kind === 'teamspace') requireScope(caller, scope)
    await next()
  })
  return withDocs(gate, { access: { caller: needed, needsKey: needed !== 'anybody' }, errors: [401] })
}

function check(needed: RequiredCaller, caller: Caller): void {
  const licenseKind = caller.kind === 'license' ? caller.license.kind : undefined
  switch (needed) {
    case 'anybody':
      if (licenseKind === 'offline') throw new AppError('forbidden', offlineOnly)
      return
    case 'teamspace':
      if (caller.kind !== 'teamspace')
        throw missing(`the key of a teamspace: send "Authorization: Bearer ${keyPrefixes.hosted}…"`)
      return
    case 'key':
      if (caller.kind === 'anonymous')
        throw missing(`the key of a teamspace, which begins with ${keyPrefixes.hosted}, or a license, as the bearer token`)
      return
    case 'offline license':
      if (licenseKind === undefined) throw missing(`an offline license ${notKey}`)
      if (licenseKind === 'online')
        throw new AppError('forbidden', 'Exports require an offline license; this is an online license.')
  }
}

/** Throws forbidden. */
export function requireScope({ role, scope }: { role: Role; scope: Scope }, needed: Scope): void {
  if (needed === 'admin' && role === 'developer')
    throw new AppError(
      'forbidden',
      'This requires the key of an owner or admin of the teamspace; this is the key of a developer.',
    )
  if (scopes.indexOf(scope) < scopes.indexOf(needed))
    throw new AppError('forbidden', `This requires a key with the scope ${needed}; this key has the scope ${scope}.`)
}

const notKey = `as the bearer token; keys that begin with ${keyPrefixes.hosted} are not accepted`
const missing = (what: string) => new AppError('invalid_api_key', `This requires ${what}.`)
const expiredKey = 'This key has expired. Send another key of the teamspace.'
const offlineOnly =
  'An offline license is only for exports. Search without a key, with the key of a teamspace, or with an online license.'

/** The caller of a route that requires the key of a teamspace. */
export function teamspaceCaller(caller: Caller): TeamspaceCaller {
  if (caller.kind === 'teamspace') return caller
  throw new Error('The route must require the key of a teamspace.')
}
