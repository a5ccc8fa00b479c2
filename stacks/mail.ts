import { z } from 'zod'
import { readEnvironment } from '../shared/settings/read-environment.ts'

const { MAIL_FROM } = readEnvironment(
  z.object({
    MAIL_FROM: z
      .string()
      .regex(/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/, 'must be one e-mail address, such as carrel@example.com, without a name')
      .optional(),
  }),
  process.env,
)

/** The address that sends invitations, for the function that does. */
export const mailVariable: Record<string, string> = MAIL_FROM === undefined ? {} : { MAIL_FROM }

/** The right to send from that address, if the stage has one. SES sends nothing until the link that it mails there was followed. */
export const sendMail = MAIL_FROM === undefined ? [] : [{ actions: ['ses:SendEmail'], resources: [identityOf(MAIL_FROM).arn] }]

function identityOf(emailIdentity: string): aws.sesv2.EmailIdentity {
  return new aws.sesv2.EmailIdentity('Mail', { emailIdentity })
}
