import { production, recoveryDays } from './stage.ts'
import { table } from './storage.ts'

/**
 * Daily backups of the table in production, which survive its deletion, unlike point-in-time recovery. The content needs none: its bucket
 * keeps old versions as long. The salts must have none.
 */
if (production) {
  const vault = new aws.backup.Vault('Backups', { name: `${$app.name}-${$app.stage}` })
  // A backup can be neither deleted earlier nor kept longer, unless somebody removes the lock first.
  new aws.backup.VaultLockConfiguration('BackupsLock', {
    backupVaultName: vault.name,
    minRetentionDays: recoveryDays,
    maxRetentionDays: recoveryDays,
  })
  const plan = new aws.backup.Plan('BackupPlan', {
    name: `${$app.name}-${$app.stage}`,
    rules: [
      {
        ruleName: 'daily',
        targetVaultName: vault.name,
        schedule: 'cron(0 3 * * ? *)',
        lifecycle: { deleteAfter: recoveryDays },
      },
    ],
  })
  const role = new aws.iam.Role('BackupRole', {
    assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: 'backup.amazonaws.com' }),
    inlinePolicies: [
      {
        name: 'inline',
        policy: aws.iam.getPolicyDocumentOutput({
          statements: [
            {
              actions: [
                'dynamodb:CreateBackup',
                'dynamodb:DescribeTable',
                'dynamodb:ListTagsOfResource',
                'dynamodb:StartAwsBackupJob',
              ],
              resources: [table.arn],
            },
            { actions: ['dynamodb:DescribeBackup', 'dynamodb:DeleteBackup'], resources: [$interpolate`${table.arn}/backup/*`] },
          ],
        }).json,
      },
    ],
  })
  new aws.backup.Selection('BackupSelection', {
    name: 'table',
    planId: plan.id,
    iamRoleArn: role.arn,
    resources: [table.arn],
  })
}
