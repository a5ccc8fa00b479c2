import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { type Table, tryWrite } from '../dynamo/table.ts'

export type ExpiringPorts = { table: Table; objectsDir: string; now(): Date }

const dayMs = 24 * 3600 * 1000
const keptMs = { exports: 30 * dayMs, bundles: 7 * dayMs, uploads: 7 * dayMs, 'uploads/started': dayMs, '.unfinished': dayMs }
const pageItems = 500

/** Deletes expired objects and items, like the lifecycle rules and the TTL of a stage. */
export async function forgetExpired({ table, objectsDir, now }: ExpiringPorts, signal: AbortSignal): Promise<void> {
  for (const [prefix, ms] of Object.entries(keptMs)) await removeOlder(join(objectsDir, prefix), now().getTime() - ms, signal)
  await removeItems(table, Math.floor(now().getTime() / 1000), signal)
}

async function removeOlder(folder: string, beforeMs: number, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    if (signal.aborted) return
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats?.isFile() && stats.mtimeMs < beforeMs) await rm(path, { force: true })
  }
}

async function removeItems({ db, name: TableName }: Table, nowS: number, signal: AbortSignal): Promise<void> {
  const expired = { ExpressionAttributeValues: { ':now': nowS } }
  const pages = paginateScan(
    { client: db, pageSize: pageItems },
    { TableName, ProjectionExpression: 'pk, sk', FilterExpression: 'expiresAt < :now', ...expired },
  )
  for await (const { Items = [] } of pages) {
    for (const { pk, sk } of Items) {
      if (signal.aborted) return
      // The condition keeps an item that was written again meanwhile.
      await tryWrite(
        db.send(new DeleteCommand({ TableName, Key: { pk, sk }, ConditionExpression: 'expiresAt < :now', ...expired })),
      )
    }
    if (signal.aborted) return
  }
}
