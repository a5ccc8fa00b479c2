import { fileURLToPath } from 'node:url'
import { loadLance } from '../../shared/store/load-lance.ts'
import { stageResources } from '../aws/base-ports.ts'
import { httpHandler } from '../aws/http-handler.ts'
import { sesClient, sesMail } from '../aws/ses-mail.ts'
import { awsHosted } from '../aws/stage-ports.ts'
import { dashboardApp } from '../dashboard/app.ts'
import { oidcIssuer } from '../dashboard/auth/oidc-issuer.ts'

await loadLance()

const { url, serviceUrl, ...issuer } = stageResources.SignIn

const from = process.env.MAIL_FROM
const mail = from ? sesMail({ client: sesClient(), from }) : undefined

/** Next to the bundle. */
const webFiles = fileURLToPath(new URL('./web/', import.meta.url))

/** The dashboard, on its own host. */
export const handler = httpHandler(
  dashboardApp({ ...awsHosted(), mail }, { url, serviceUrl, issuer: oidcIssuer(issuer), webFiles }),
)
