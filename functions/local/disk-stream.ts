import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { unreadableFile } from '../../shared/store/unreadable-file.ts'
import { refusedEvent, type UsageStream } from '../../shared/usage/usage-stream.ts'
import { partitionKey } from '../counting/partition-key.ts'

/** `at` is the time of the put in milliseconds since 1970. Sequence numbers are decimal and ascend within their shard. */
export type StreamRecord = { sequence: string; partitionKey: string; data: Uint8Array; at: number }

export type DiskStream = UsageStream & {
  readonly shards: readonly number[]
  /** The next records of a shard after a sequence number, or its first ones, in order. */
  read(shard: number, after: string | undefined, limit: number): StreamRecord[]
  /** The sequence number of the last consumed record of a shard. */
  position(shard: number): string | undefined
  advance(shard: number, sequence: string): void
  /** Deletes consumed records that are older. */
  prune(olderThan: Date): void
  close(): void
}

const shardCount = 4
const openTimeoutMs = 5000
/** Short, because the whole server stops while SQLite waits for the lock of another process. */
const busyTimeoutMs = 30

const schema = `
  CREATE TABLE IF NOT EXISTS record (
    shard INTEGER, sequence INTEGER, partition_key TEXT NOT NULL, data BLOB NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (shard, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS position (shard INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);`

/**
 * The usage stream of the hosted half on one machine: a file with shards and ascending sequence numbers, like Kinesis. When `put`
 * resolves, the event survives a crash of the process.
 */
export function diskStream(path: string): DiskStream {
  const db = open(path)
  const insert = db.prepare('INSERT INTO record (shard, sequence, partition_key, data, at) VALUES (?, ?, ?, ?, ?)')
  const select = db.prepare(
    'SELECT sequence, partition_key, data, at FROM record WHERE shard = ? AND sequence > ? ORDER BY sequence LIMIT ?',
  )
  const newest = db.prepare('SELECT max(sequence) AS sequence FROM record WHERE shard = ?')
  const consumed = db.prepare('SELECT sequence FROM position WHERE shard = ?')
  const moveOn = db.prepare('INSERT INTO position VALUES (?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence')
  const deleteConsumed = db.prepare('DELETE FROM record WHERE shard = ? AND sequence <= ? AND at < ?')
  const shards = Array.from({ length: shardCount }, (_, shard) => shard)
  const positionOf = (shard: number) => Number(consumed.get(shard)?.sequence ?? 0)
  const last = shards.map((shard) => Math.max(Number(newest.get(shard)?.sequence ?? 0), positionOf(shard)))

  return {
    shards,
    async put(event) {
      const key = partitionKey(event)
      const shard = crc32(key) % shardCount
      const sequence = (last[shard] ?? 0) + 1
      try {
        insert.run(shard, sequence, key, Buffer.from(JSON.stringify(event)), Date.now())
        last[shard] = sequence
      } catch (error) {
        throw refusedEvent(error)
      }
    },
    read(shard, after, limit) {
      return select.all(shard, Number(after ?? 0), limit).map((row) => ({
        sequence: String(row.sequence),
        partitionKey: String(row.partition_key),
        data: row.data as Uint8Array,
        at: Number(row.at),
      }))
    },
    position(shard) {
      const sequence = positionOf(shard)
      return sequence === 0 ? undefined : String(sequence)
    },
    advance(shard, sequence) {
      moveOn.run(shard, Number(sequence))
    },
    prune(olderThan) {
      for (const shard of shards) deleteConsumed.run(shard, positionOf(shard), olderThan.getTime())
    },
    close() {
      db.close()
    },
  }
}

function open(path: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    // SQLite's other files get the mode of this one.
    closeSync(openSync(path, 'a', 0o600))
    db = new DatabaseSync(path, { timeout: openTimeoutMs })
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    db.exec(schema)
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    return db
  } catch (error) {
    db?.close()
    throw unreadableFile(
      path,
      error,
      'Restore it from a backup, or move it away. If you move it, the events that are not counted yet are lost.',
    )
  }
}
