import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '../../../functions/dynamo/table.ts'
import type { Hosted } from '../../../functions/hosted.ts'
import { dynamoFolder } from '../../../functions/local/dynamo-folder.ts'
import { openLocal } from '../../../functions/local/open-local.ts'
import type { ServerLog } from '../../../shared/log.ts'

const print = (fields: Record<string, unknown>, message: string) => console.error(message, fields)
export const quietLog: ServerLog = { debug: () => undefined, info: () => undefined, warn: print, error: print }

/** Opens the hosted half on a folder in this process, without background work. */
export async function withHosted<T>(dataDir: string, work: (hosted: Hosted) => Promise<T>): Promise<T> {
  const local = await openLocal({ DATA_DIR: dataDir, HOST: '127.0.0.1' }, process.env, quietLog)
  try {
    return await work(local.hosted)
  } finally {
    await local.close()
  }
}

/** Opens the table of a data directory that no other process uses. */
export async function withTable<T>(dataDir: string, work: (table: Table) => Promise<T>): Promise<T> {
  await mkdir(dataDir, { recursive: true })
  const { table, close } = await dynamoFolder(join(dataDir, 'dynamodb'))
  try {
    return await work(table)
  } finally {
    await close()
  }
}
