import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { diskStream } from '../../../functions/local/disk-stream.ts'
import { isRefused } from '../../../shared/usage/usage-stream.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { usageEvent } from '../../fixtures/usage.ts'

const signal = new AbortController().signal
const day = 24 * 3600 * 1000

function open(path = join(tempDir(), 'usage.db')) {
  const stream = diskStream(path)
  onTestFinished(() => stream.close())
  const all = () => stream.shards.flatMap((shard) => stream.read(shard, undefined, 100_000))
  return { path, stream, all }
}

async function putMany(stream: ReturnType<typeof diskStream>, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await stream.put(usageEvent(), signal)
}

test('every acknowledged event is on disk if the process is killed during a write', async () => {
  const path = join(tempDir(), 'usage.db')
  const program = new URL('put-events.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const acknowledged: string[] = []
  for await (const id of createInterface({ input: child.stdout })) {
    acknowledged.push(id)
    if (acknowledged.length === 2000) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')

  const { all } = open(path)
  const found = new Set(all().map(({ data }) => JSON.parse(Buffer.from(data).toString()).id))
  expect(acknowledged.length).toBeGreaterThanOrEqual(2000)
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
})

test('a reopened stream continues with its records, positions and sequence numbers', async () => {
  const path = join(tempDir(), 'usage.db')
  const first = diskStream(path)
  await putMany(first, 50)
  const before = first.read(1, undefined, 100)
  first.advance(1, before[0]?.sequence ?? '')
  first.close()

  const { stream, all } = open(path)
  expect(stream.position(0)).toBeUndefined()
  expect(stream.position(1)).toBe(before[0]?.sequence)
  expect(stream.read(1, stream.position(1), 100)).toEqual(before.slice(1))
  await putMany(stream, 50)
  expect(all()).toHaveLength(100)
  expect(stream.read(1, undefined, 100).slice(0, before.length)).toEqual(before)
})

test('sequence numbers ascend although the clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { stream } = open()
  await putMany(stream, 40)
  vi.setSystemTime(Date.now() - day)
  await putMany(stream, 40)
  for (const shard of stream.shards) {
    const sequences = stream.read(shard, undefined, 100).map(({ sequence }) => Number(sequence))
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
  }
})

test('old records are deleted only after they were consumed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { path, stream, all } = open()
  await putMany(stream, 40)
  vi.setSystemTime(Date.now() + 8 * day)
  await putMany(stream, 40)
  const weekAgo = new Date(Date.now() - 7 * day)
  stream.prune(weekAgo)
  expect(all()).toHaveLength(80)
  for (const shard of stream.shards) stream.advance(shard, stream.read(shard, undefined, 100).at(-1)?.sequence ?? '')
  const last = stream.shards.map((shard) => stream.position(shard))
  stream.prune(weekAgo)
  expect(all()).toHaveLength(40)
  stream.prune(new Date(Date.now() + day))
  expect(all()).toEqual([])
  await putMany(open(path).stream, 40)
  expect(stream.shards.every((shard, n) => stream.read(shard, last[n], 100).length > 0)).toBe(true)
})

test('an event that cannot be written is rejected, and only the owner can read the file', async () => {
  const { path, stream } = open()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const closed = diskStream(join(tempDir(), 'usage.db'))
  closed.close()
  expect(isRefused(await closed.put(usageEvent(), signal).catch((thrown) => thrown))).toBe(true)
  await stream.put(usageEvent(), signal)
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600)
})

test('an event is rejected while another process locks the file, and the next one is accepted', async () => {
  const { path, stream } = open()
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  expect(isRefused(await stream.put(usageEvent(), signal).catch((thrown) => thrown))).toBe(true)
  other.exec('COMMIT')
  await stream.put(usageEvent(), signal)
})

test('a file that is not a database is rejected with one sentence', () => {
  const path = join(tempDir(), 'usage.db')
  writeFileSync(path, 'garbage'.repeat(1000))
  expect(() => diskStream(path)).toThrow(
    /^The file .*usage\.db cannot be opened: .*\. Restore it from a backup, or move it away\. If you move it, /,
  )
})
