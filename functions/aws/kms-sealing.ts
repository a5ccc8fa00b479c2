import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  type KMSClient,
} from '@aws-sdk/client-kms'
import { AppError } from '../../shared/errors.ts'
import type { Sealing } from '../access/git-tokens.ts'

/** Encrypts texts of at most 4,096 bytes with a key that does not leave AWS KMS. */
export const kmsSealing = (client: KMSClient, KeyId: string): Sealing => ({
  async seal(text, EncryptionContext) {
    const encrypt = new EncryptCommand({ KeyId, EncryptionContext, Plaintext: Buffer.from(text) })
    const { CiphertextBlob = new Uint8Array() } = await client.send(encrypt)
    return Buffer.from(CiphertextBlob).toString('base64')
  },

  async open(sealed, EncryptionContext) {
    const decrypt = new DecryptCommand({ KeyId, EncryptionContext, CiphertextBlob: Buffer.from(sealed, 'base64') })
    const { Plaintext = new Uint8Array() } = await client.send(decrypt).catch((error: unknown) => {
      throw isUnreadable(error) ? damaged(error) : error
    })
    return Buffer.from(Plaintext).toString('utf8')
  },
})

const isUnreadable = (error: unknown) => error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException

const damaged = (cause: unknown) =>
  new AppError(
    'data_damaged',
    'A stored token cannot be read: it was not encrypted with the key of this service for this teamspace and host, or was altered since. Save the token again.',
    { cause },
  )
