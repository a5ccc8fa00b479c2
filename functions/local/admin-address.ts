import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createIfAbsent } from '../../shared/system/create-if-absent.ts'

const Address = z.object({ url: z.url(), secret: z.string().min(32) })

/** Where a running hosted half takes orders of its command line, and what they must bear. */
export type AdminAddress = z.infer<typeof Address>

const fileIn = (dataDir: string) => join(dataDir, 'admin.json')

/** Writes the file that only its owner may read; a dead server's is replaced. */
export function announceAdmin(dataDir: string, port: number, secret: string): void {
  withdrawAdmin(dataDir)
  createIfAbsent(fileIn(dataDir), JSON.stringify({ url: `http://127.0.0.1:${port}`, secret }), 0o600)
}

export const withdrawAdmin = (dataDir: string): void => rmSync(fileIn(dataDir), { force: true })

/** Undefined where none was announced, or what stands there is none. */
export function readAdminAddress(dataDir: string): AdminAddress | undefined {
  try {
    return Address.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

export const newAdminSecret = (): string => randomBytes(32).toString('base64url')
