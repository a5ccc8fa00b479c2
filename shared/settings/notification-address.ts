import { isIP } from 'node:net'
import { z } from 'zod'
import { isMetadataHost } from '../network/metadata-address.ts'
import { isPrivateHost } from '../schemas/base-url.ts'
import { notificationEvents } from './notification-names.ts'

const addressRule =
  'must start with https:// (http:// is allowed only for private addresses and names such as 10.0.0.5 or chat.internal)'

/** The address of a webhook. It may hold a token, so it is a secret, and errors about it do not repeat it. */
export const WebhookAddress = z
  .string('must be an address')
  .trim()
  .max(2_000, 'must not be longer than 2000 characters')
  .regex(/^[\x21-\x7e]+$/, 'must be an address such as https://example.com/hook')
  .transform((text, context) => {
    const problem = addressProblem(text)
    if (problem === undefined) return text
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return 'must be an address such as https://example.com/hook'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (isMetadataHost(url.hostname)) return 'must not be a link-local or metadata address'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateHost(url.hostname))) return undefined
  return addressRule
}

const hostRule = 'must be the name or address of a host, such as smtp.example.com'

export const SmtpHost = z
  .string(hostRule)
  .trim()
  .toLowerCase()
  .max(253, hostRule)
  .refine((host) => isIP(host) !== 0 || /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/.test(host), hostRule)
  .refine((host) => !isMetadataHost(host), 'must not be a link-local or metadata address')

/** How the connection to the mail server is encrypted: from its begin, by STARTTLS, or not at all. */
export const smtpSecurities = ['starttls', 'tls', 'none'] as const

export const mailRule = 'must be e-mail addresses such as ops@example.com, separated by commas'
/** Also a name without a dot after the @, as in a private network. */
export const MailAddress = z
  .string(mailRule)
  .trim()
  .max(254, mailRule)
  .regex(/^[A-Za-z\d.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z\d]([A-Za-z\d.-]*[A-Za-z\d])?$/, mailRule)

export const eventsRule = `must be some of ${notificationEvents.join(', ')}, separated by commas`
export const EventName = z.enum(notificationEvents, eventsRule)
