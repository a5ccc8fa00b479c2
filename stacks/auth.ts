import { z } from 'zod'
import { readEnvironment } from '../shared/settings/read-environment.ts'
import { oidcClientSecret } from './secrets.ts'
import { production } from './stage.ts'

const { OIDC_ISSUER, OIDC_CLIENT_ID = '' } = readEnvironment(
  z.object({
    OIDC_ISSUER: z
      .string()
      .regex(/^https:\/\/[^?#\s]+$/, 'must be the https address of an issuer of OpenID Connect')
      .optional(),
    OIDC_CLIENT_ID: z.string().optional(),
  }),
  process.env,
)

if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID === '')
  throw new Error('OIDC_CLIENT_ID must be the id of the dashboard at OIDC_ISSUER.')

/** The issuer that signs people in, and the dashboard's name and secret there: that of OIDC_ISSUER, or a user pool of the stage. */
export const issuerFor = (callbackUrl: $util.Output<string>) =>
  OIDC_ISSUER === undefined
    ? ownIssuer(callbackUrl)
    : { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: oidcClientSecret.value }

function ownIssuer(callbackUrl: $util.Output<string>) {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  const pool = new sst.aws.CognitoUserPool('Users', {
    usernames: ['email'],
    // The names of these domains are unique in a region.
    domain: { prefix: $interpolate`${$app.name}-${$app.stage}-${accountId}` },
    transform: {
      userPool: (args) => {
        args.deletionProtection = production ? 'ACTIVE' : 'INACTIVE'
        args.passwordPolicy = { minimumLength: 12, temporaryPasswordValidityDays: 7 }
      },
    },
  })
  const client = pool.addClient('DashboardClient', {
    callbackUrls: [callbackUrl],
    transform: {
      client: (args) => {
        args.generateSecret = true
        args.allowedOauthFlows = ['code']
        args.allowedOauthScopes = ['openid', 'email', 'profile']
        args.preventUserExistenceErrors = 'ENABLED'
      },
    },
  })
  return {
    issuer: $interpolate`https://cognito-idp.${region}.amazonaws.com/${pool.id}`,
    clientId: client.id,
    clientSecret: client.secret,
  }
}
