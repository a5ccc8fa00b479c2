import { isIP } from 'node:net'
import { AppError } from '../../shared/errors.ts'
import { certificateError, codeOf } from '../../shared/network/connections.ts'
import { isMetadataHost, lookupAllowed } from '../../shared/network/metadata-address.ts'
import { type Network, trustedCertificates } from '../../shared/network/network.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { unlessAborted } from '../../shared/time/unless-aborted.ts'
import { linesOf, type SendMessage, titleOf } from './message.ts'

type MailPorts = { settings: Pick<SettingsStore, 'get' | 'getSecret'>; network: Network; sendMs: number }

/** A plain e-mail over the mail server of the settings. One TCP connection per message, to an address that is checked. */
export const sendMail =
  ({ settings, network, sendMs }: MailPorts): SendMessage =>
  async (message, signal) => {
    const host = settings.get('notifications.smtpHost')
    const to = settings.get('notifications.emailTo')
    const [first] = to
    if (host === undefined || first === undefined)
      throw new AppError('not_configured', 'E-mail needs a mail server and at least one receiver.')
    const security = settings.get('notifications.smtpSecurity')
    const user = settings.getSecret('notifications.smtpUser')
    const pass = settings.getSecret('notifications.smtpPassword')
    if (user !== undefined && security === 'none') throw plainPassword()
    const late = AbortSignal.timeout(sendMs)
    const ended = AbortSignal.any([signal, late])
    const { createTransport } = await import('nodemailer')
    const address = await unlessAborted(addressOf(host), ended).catch((error: unknown) => {
      signal.throwIfAborted()
      throw failureOf(host, sendMs, late.aborted, error)
    })
    const transport = createTransport({
      host: address,
      port: settings.get('notifications.smtpPort'),
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      // The name is that of the certificate, although the connection goes to an address.
      ...(security !== 'none' && {
        tls: { ca: trustedCertificates(network), ...(isIP(host) === 0 && { servername: host }) },
      }),
      ...(user !== undefined && { auth: { user, pass: pass ?? '' } }),
      connectionTimeout: sendMs,
      greetingTimeout: sendMs,
      socketTimeout: sendMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      const sent = transport.sendMail({
        from: settings.get('notifications.emailFrom') ?? first,
        to,
        subject: titleOf(message),
        text: linesOf(message).join('\n\n'),
        messageId: `<${message.id}@carrel.invalid>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Carrel-Delivery': message.id },
      })
      await unlessAborted(sent, ended)
    } catch (error) {
      signal.throwIfAborted()
      throw failureOf(host, sendMs, late.aborted, error)
    } finally {
      transport.close()
    }
  }

/** An address of a host, none on which clouds serve credentials. */
async function addressOf(host: string): Promise<string> {
  if (isIP(host) !== 0) {
    if (isMetadataHost(host))
      throw new AppError('validation_error', `${host} is a link-local or metadata address. Use another host.`)
    return host
  }
  return new Promise((resolve, reject) => {
    lookupAllowed(host, { all: false }, (error, address) => (error ? reject(error) : resolve(String(address))))
  })
}

function failureOf(host: string, sendMs: number, isLate: boolean, error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isLate) return new AppError('timeout', `${host} did not accept the e-mail within ${Math.ceil(sendMs / 1000)} s.`)
  const code = codeOf(error)
  if (code === 'EAUTH') return new AppError('provider_unavailable', `${host} rejects the user or the password.`, { cause: error })
  if (/CERT|SIGNATURE/.test(code) || /certificate/i.test(messageOf(error))) return certificateError(host, error)
  const status = (error as { responseCode?: unknown }).responseCode
  const why = typeof status === 'number' ? `refused the e-mail (${status})` : `cannot be used${code === '' ? '' : ` (${code})`}`
  return new AppError('provider_unavailable', `${host} ${why}.`, { cause: error })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const plainPassword = () =>
  new AppError(
    'not_configured',
    'A password is not sent without encryption: set notifications.smtpSecurity to starttls or tls, or remove the user.',
  )
