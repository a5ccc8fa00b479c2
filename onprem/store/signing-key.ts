import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import { type KeyPair, makeKeyPair } from '../../shared/keys/key-pair.ts'
import type { SecretBox } from '../../shared/settings/secret-box.ts'

/** The key pair with which an install signs the bundles that it exports. The private key is stored encrypted, like a secret. */
export type SigningKey = {
  /** The public key in PEM; made with the first use. */
  publicPem(): string
  /** Throws data_damaged if the private key cannot be decrypted. */
  pair(): KeyPair
  /** Replaces the pair. Bundles of the old one stay valid where its public key is trusted. */
  renew(): KeyPair
}

const context = 'bundle signing key'

export function sqliteSigningKey(db: DatabaseSync, box: SecretBox, now: () => Date): SigningKey {
  const select = db.prepare('SELECT public_pem, sealed FROM signing_key')
  const upsert = db.prepare('INSERT OR REPLACE INTO signing_key (id, public_pem, sealed, made_at) VALUES (1, ?, ?, ?)')
  const stored = () => select.get() as { public_pem: string; sealed: string } | undefined
  const renew = () => {
    const pair = makeKeyPair()
    upsert.run(pair.publicPem, box.seal(pair.privatePem, context), now().toISOString())
    return pair
  }
  return {
    publicPem: () => stored()?.public_pem ?? renew().publicPem,
    pair() {
      const row = stored()
      if (row === undefined) return renew()
      try {
        return { publicPem: row.public_pem, privatePem: box.open(row.sealed, context) }
      } catch (cause) {
        throw unreadable(cause)
      }
    },
    renew,
  }
}

const unreadable = (cause: unknown) =>
  new AppError(
    'data_damaged',
    'The key that signs exports cannot be decrypted with the file secrets.key of DATA_DIR. Restore that file, or make a new key with "carrel export --new-key" and trust it in the other installs.',
    { cause },
  )
