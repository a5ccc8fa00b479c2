import { KMSClient } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kmsSealing } from '../../../functions/aws/kms-sealing.ts'
import { startKms, tokenKeyArn } from '../../fixtures/kms.ts'

let kms: Awaited<ReturnType<typeof startKms>>
let client: KMSClient

beforeAll(async () => {
  kms = await startKms()
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  client = new KMSClient({ endpoint: kms.url, region: 'us-east-1', credentials, maxAttempts: 1 })
})
afterAll(async () => {
  client.destroy()
  await kms.close()
})

const token = 'ghp_secret1234'
const context = { team: 'a', host: 'github' }

test('a text that KMS encrypted is opened with its context only', async () => {
  const sealing = kmsSealing(client, tokenKeyArn)
  const sealed = await sealing.seal(token, context)
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('secret')
  expect(await sealing.open(sealed, { host: 'github', team: 'a' })).toBe(token)
  for (const other of [{ ...context, team: 'b' }, { ...context, host: 'gitlab' }, {}])
    await expect(sealing.open(sealed, other)).rejects.toMatchObject({ code: 'data_damaged' })
})

test('an altered text is damaged', async () => {
  const sealing = kmsSealing(client, tokenKeyArn)
  const bytes = Buffer.from(await sealing.seal(token, context), 'base64')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  await expect(sealing.open(bytes.toString('base64'), context)).rejects.toMatchObject({ code: 'data_damaged' })
})

test('a key that does not exist is no damage of the text', async () => {
  const sealed = await kmsSealing(client, tokenKeyArn).seal(token, context)
  const other = kmsSealing(client, 'arn:aws:kms:us-east-1:123456789012:key/deleted')
  await expect(other.open(sealed, context)).rejects.toMatchObject({ name: 'NotFoundException' })
})
