import { production } from './stage.ts'

/** Encrypts the tokens that teamspaces read their private repositories with. Without it, no backup of the table opens them. */
const key = new aws.kms.Key(
  'TokenKey',
  {
    description: `Tokens of git hosts of ${$app.name}, stage ${$app.stage}`,
    enableKeyRotation: true,
    deletionWindowInDays: production ? 30 : 7,
  },
  { retainOnDelete: production },
)

export const tokenKey = new sst.Linkable('TokenKey', { properties: { arn: key.arn } })

export const encryptTokens = { actions: ['kms:Encrypt'], resources: [key.arn] }
export const decryptTokens = { actions: ['kms:Decrypt'], resources: [key.arn] }
