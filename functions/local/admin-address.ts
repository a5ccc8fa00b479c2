import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createIfAbsent } from '../../shared/system/create-if-absent.ts'

const Address = z.object({ url: z.url(), secret: z.string().min(32) })

/** The address and the secret of the admin API of a running hosted half. */
export type AdminAddress = z.infer<typeof Address>

const fileIn = (dataDir: string) => join(dataDir, 'admin.json')

/** Writes the address to a file that only its owner can read. Replaces the file of a server that died. */
export function announceAdmin(dataDir: string, port: number, secret: string): void {
  withdrawAdmin(dataDir)
  createIfAbsent(fileIn(dataDir), JSON.stringify({ url: `http://127.0.0.1:${port}`, secret }), 0o600)
}

export const withdrawAdmin = (dataDir: string): void => rmSync(fileIn(dataDir), { force: true })

/** Reads the file. Undefined if there is no valid one. */
export function readAdminAddress(dataDir: string): AdminAddress | undefined {
  try {
    return Address.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

export const newAdminSecret = (): string => randomBytes(32).toString('base64url')
