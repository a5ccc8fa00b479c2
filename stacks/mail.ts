const { MAIL_FROM = '' } = process.env

if (MAIL_FROM !== '' && !/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(MAIL_FROM))
  throw new Error('MAIL_FROM must be one e-mail address, such as carrel@example.com, without a name.')

/** The address that sends invitations, for the function that does. */
export const mailVariable: Record<string, string> = MAIL_FROM === '' ? {} : { MAIL_FROM }

/** The right to send from that address, if the stage has one. SES sends nothing until the link that it mails there was followed. */
export const sendMail = MAIL_FROM === '' ? [] : [{ actions: ['ses:SendEmail'], resources: [identityOf(MAIL_FROM).arn] }]

function identityOf(emailIdentity: string): aws.sesv2.EmailIdentity {
  return new aws.sesv2.EmailIdentity('Mail', { emailIdentity })
}
