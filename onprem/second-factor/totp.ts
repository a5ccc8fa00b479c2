import { Secret, TOTP } from 'otpauth'

/** The steps before and after the current one whose codes are accepted: clocks differ, and people type slowly. */
const window = 1
const periodSeconds = 30
const secretBytes = 20

/** A new secret, in base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32

/** The address that the QR code of an app shows. */
export const totpAddress = (secret: string, label: string, host: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), issuer: `Carrel ${host}`, label, period: periodSeconds }).toString()

/** The time step (RFC 6238) of a code, if the app shows it about now. */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  // The library throws an error for other digits than these.
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: periodSeconds })
  const timestamp = now.getTime()
  const delta = totp.validate({ token: code, timestamp, window })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}
