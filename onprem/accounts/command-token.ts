import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The key with which commands on this machine call a running server. It has the rights of an admin key of the install. */
export type CommandToken = {
  /** Differs for each run of a server. It is stored only in `DATA_DIR/server.json`. */
  readonly token: string
  matches(key: string): boolean
}

export function commandToken(): CommandToken {
  const token = randomBytes(32).toString('base64url')
  const hash = hashOf(token)
  return { token, matches: (key) => timingSafeEqual(hashOf(key), hash) }
}

/** Hashes have the same length, which `timingSafeEqual` requires. */
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()
