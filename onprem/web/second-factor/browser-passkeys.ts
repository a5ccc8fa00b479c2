import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import type { InferRequestType } from 'hono/client'
import type { api } from '../api/api.ts'
import type { factorApi } from './factor-query.ts'

type NewCredential = InferRequestType<typeof factorApi.passkeys.$post>['json']['credential']
type Assertion = InferRequestType<(typeof api.auth.session)['sign-in']['second-step']['$post']>['json']['passkey']
type Options = Record<string, unknown>

/** False without TLS, and under an IP address, which no passkey can be for. */
export const canUsePasskeys = (): boolean =>
  isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)

const library = () => import('@simplewebauthn/browser')

/** Lets the browser make a passkey with options of the server. */
export async function createPasskey(options: Options): Promise<NewCredential> {
  const { startRegistration } = await library()
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const credential = await startRegistration({ optionsJSON }).catch(inWords('The browser made no passkey'))
  return credential as unknown as NewCredential
}

/** Lets the browser sign with a passkey. */
export async function getPasskey(options: Options): Promise<Assertion> {
  const { startAuthentication } = await library()
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const credential = await startAuthentication({ optionsJSON }).catch(inWords('The browser used no passkey'))
  return credential as unknown as Assertion
}

/** The messages of browsers are about their programs. */
const inWords = (what: string) => (error: unknown) => {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError'
  const reason = isKnown ? 'this device has one already' : 'it was cancelled, or it took too long'
  throw new Error(`${what}: ${reason}. Try again.`, { cause: error })
}
