import { describe, expect, test } from 'vitest'
import { all, one, type Stages, stageNames } from './stage.ts'

/** Days back to which a stage can be restored: the table, its backups and the versions of its content. */
const recoveryDays = 35

export const storageTests = (stages: () => Stages) => {
  describe.each(stageNames)('storage of stage %s', (name) => {
    test('the table is one on demand by pk and sk, with recovery to any second and the TTL attribute expiresAt', () => {
      expect(one(stages()[name], 'dynamodb/table', 'Table').inputs).toMatchObject({
        billingMode: 'PAY_PER_REQUEST',
        hashKey: 'pk',
        rangeKey: 'sk',
        attributes: [
          { name: 'pk', type: 'S' },
          { name: 'sk', type: 'S' },
        ],
        pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: recoveryDays },
        ttl: { attributeName: 'expiresAt', enabled: true },
      })
    })

    test('salts are in a separate table that cannot be restored and is deleted with its stage', () => {
      const { inputs, retainOnDelete } = one(stages()[name], 'dynamodb/table', 'Salts')
      expect(inputs).toMatchObject({
        hashKey: 'pk',
        pointInTimeRecovery: { enabled: false },
        ttl: { attributeName: 'expiresAt', enabled: true },
      })
      expect(inputs.rangeKey).toBeUndefined()
      expect(inputs.deletionProtectionEnabled ?? false).toBe(false)
      expect(retainOnDelete).toBe(false)
      expect(all(stages()[name], 'dynamodb/table')).toHaveLength(2)
    })

    test.each(['Content', 'Exports', 'FailedUsage'])(
      'the bucket %s is private, encrypted, reachable only over https, and no web page may use it',
      (bucket) => {
        const stage = stages()[name]
        expect(one(stage, 's3/bucketPublicAccessBlock', bucket).inputs).toMatchObject({
          blockPublicAcls: true,
          blockPublicPolicy: true,
          ignorePublicAcls: true,
          restrictPublicBuckets: true,
        })
        const [rule] = one(stage, 's3/bucketServerSideEncryptionConfiguration', bucket).inputs.rules
        expect(rule.applyServerSideEncryptionByDefault.sseAlgorithm).toBe('AES256')
        const [deny, ...more] = JSON.parse(one(stage, 's3/bucketPolicy', bucket).inputs.policy).Statement
        expect(deny).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': ['false'] } } })
        expect(more).toEqual([])
        expect(all(stage, 's3/bucketCorsConfiguration')).toEqual([])
      },
    )

    test('exports, bundles and failed records expire, of the content only uploads do, and old versions and incomplete uploads are deleted', () => {
      const rules = Object.fromEntries(
        all(stages()[name], 's3/bucketLifecycleConfiguration').map((made) => [made.name, made.inputs.rules]),
      )
      const expiring = (bucket: string) =>
        rules[`${bucket}Lifecycle`]
          .filter((rule: { expiration?: { days?: number } }) => rule.expiration?.days)
          .map((rule: { filter: { prefix: string }; expiration: { days: number } }) => [rule.filter.prefix, rule.expiration.days])
      expect(expiring('Content')).toEqual([
        ['uploads/', 7],
        ['uploads/started/', 1],
      ])
      expect(expiring('Exports')).toEqual([
        ['exports/', 30],
        ['bundles/', 7],
      ])
      expect(expiring('FailedUsage')).toEqual([['', 35]])
      for (const [leftOver] of Object.values(rules))
        expect(leftOver).toMatchObject({
          status: 'Enabled',
          filter: { prefix: '' },
          abortIncompleteMultipartUpload: { daysAfterInitiation: 2 },
        })
      expect(rules.ContentLifecycle[0].noncurrentVersionExpiration).toEqual({ noncurrentDays: recoveryDays })
      expect(rules.ContentLifecycle.slice(1)).toEqual([
        {
          id: 'derived-catalog',
          status: 'Enabled',
          filter: { prefix: 'catalog/' },
          noncurrentVersionExpiration: { noncurrentDays: 1 },
        },
        { id: 'expire-uploads', status: 'Enabled', filter: { prefix: 'uploads/' }, expiration: { days: 7 } },
        {
          id: 'expire-uploads/started',
          status: 'Enabled',
          filter: { prefix: 'uploads/started/' },
          expiration: { days: 1 },
        },
      ])
      expect(one(stages()[name], 's3/bucketVersioning', 'Content').inputs.versioningConfiguration.status).toBe('Enabled')
    })
  })

  test.each(stageNames)('the key of tokens in stage %s is renewed every year', (name) => {
    expect(one(stages()[name], 'kms/key', 'TokenKey').inputs).toMatchObject({ enableKeyRotation: true })
  })

  test('production has daily backups of only the table, which are deleted when it can no longer be restored to that day', () => {
    const { production, dev } = stages()
    const [rule, ...more] = one(production, 'backup/plan', 'BackupPlan').inputs.rules
    expect(more).toEqual([])
    expect(rule).toMatchObject({ targetVaultName: 'carrel-production', lifecycle: { deleteAfter: recoveryDays } })
    expect(rule.schedule).toMatch(/^cron\(0 \d \* \* \? \*\)$/)
    expect(one(production, 'backup/vaultLockConfiguration', 'BackupsLock').inputs).toMatchObject({
      minRetentionDays: recoveryDays,
      maxRetentionDays: recoveryDays,
    })
    const { resources, selectionTags } = one(production, 'backup/selection', 'BackupSelection').inputs
    expect([resources, selectionTags]).toEqual([[expect.stringMatching(/:table\/carrel-production-TableTable-\w+$/)], undefined])
    expect(all(dev, 'backup/plan')).toEqual([])
  })

  test('production keeps its data when it is removed, and is protected from removal, and other stages keep no data', () => {
    const { production, dev } = stages()
    expect(production.app).toMatchObject({ removal: 'retain', protect: true })
    expect(dev.app).toMatchObject({ removal: 'remove', protect: false })
    for (const [stage, kept] of [
      [production, true],
      [dev, false],
    ] as const) {
      expect(one(stage, 'dynamodb/table', 'Table').retainOnDelete).toBe(kept)
      expect(one(stage, 'kms/key', 'TokenKey').retainOnDelete).toBe(kept)
      expect(one(stage, 'dynamodb/table', 'Table').inputs.deletionProtectionEnabled).toBe(kept)
      for (const bucket of all(stage, 's3/bucket')) {
        expect(bucket.retainOnDelete).toBe(kept)
        expect(bucket.inputs.forceDestroy).toBe(!kept)
      }
    }
    expect(dev.resources.filter((made) => made.retainOnDelete)).toEqual([])
  })
}
