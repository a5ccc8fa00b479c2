import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Mail } from '../access/mail.ts'
import { clientOptions } from './client-options.ts'

/** The person who invites waits for both attempts. */
const sendMs = 5_000

/** Not traced: a trace would keep the errors of SES, which name the addressee. */
export const sesClient = (requestMs = sendMs): SESv2Client => new SESv2Client({ ...clientOptions(requestMs), maxAttempts: 2 })

/** Sends messages from an address that is an identity of SES. */
export const sesMail = ({ client, from }: { client: SESv2Client; from: string }): Mail => ({
  async send({ to, subject, text }) {
    if (/[\p{Cc},;<>]/u.test(to) || /\p{Cc}/u.test(subject)) throw new Error('A header of a message would begin another one.')
    const Simple = { Subject: utf8(subject), Body: { Text: utf8(text) } }
    const message = { FromEmailAddress: from, Destination: { ToAddresses: [to] }, Content: { Simple } }
    await client.send(new SendEmailCommand(message)).catch(failed)
  },
})

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })

/** The message of SES names the addressee, and the log must not. */
function failed(error: unknown): never {
  throw new Error(`SES did not take a message: ${error instanceof Error ? error.name : 'unknown error'}.`)
}
