import { AppError } from '../../errors.ts'
import { redactSecrets } from '../../text/redact-secrets.ts'

const maxReadChars = 20_000

/** The words of a host for a message: without secrets and final dot, in one printable line. Empty if there are none. */
export const hostWords = (text: string, secrets: string[]): string =>
  printable(redactSecrets(text.slice(0, maxReadChars), secrets)).replace(/\.$/, '')

/** A sentence for the end of a message. */
export const hostSays = (words: string): string => (words === '' ? '' : ` The host says: "${words}".`)

/** The error for a host that ends the git protocol with a reason. */
export const hostRefusal = (words: string, cause?: unknown): AppError =>
  new AppError('provider_unavailable', `The host refused to show the repository: "${words}".`, {
    cause,
    retry: isTemporary(words) ? 'limited' : 'never',
  })

/** True if a host says itself that a retry may succeed. */
export const isTemporary = (words: string): boolean =>
  /try again|retry|temporar|due to load|overload|too many|rate limit|maintenance/i.test(words)

/** Text of a host for use in a message: one line of at most 200 characters. */
const printable = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
