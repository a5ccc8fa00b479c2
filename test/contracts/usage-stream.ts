import { describe, expect, test } from 'vitest'
import type { UsageStream } from '../../shared/usage/usage-stream.ts'
import { usageEvent } from '../fixtures/usage.ts'

export type OpenedStream = {
  stream: UsageStream
  /** The records of each shard, in order. */
  shards(): Promise<{ sequence: string; data: Uint8Array }[][]>
}

const signal = new AbortController().signal
const read = (data: Uint8Array) => JSON.parse(Buffer.from(data).toString())

/** Tests that every usage stream must pass. */
export function usageStreamContract(name: string, open: () => Promise<OpenedStream>): void {
  describe(name, () => {
    test('an event is once on the stream, as it was sent', async () => {
      const { stream, shards } = await open()
      const event = usageEvent({ surface: 'mcp', client: 'cursor', user: 'x'.repeat(22), country: 'DE', version: 'v1' })
      await stream.put(event, signal)
      expect((await shards()).flat().map(({ data }) => read(data))).toEqual([event])
    })

    test('events keep their order within a shard, and their sequence numbers ascend', async () => {
      const { stream, shards } = await open()
      const events = Array.from({ length: 40 }, () => usageEvent())
      for (const event of events) await stream.put(event, signal)
      const place = new Map(events.map(({ id }, n) => [id, n]))
      for (const shard of await shards()) {
        const sequences = shard.map(({ sequence }) => BigInt(sequence))
        expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => (a < b ? -1 : 1)))
        const places = shard.map(({ data }) => place.get(read(data).id))
        expect(places).toEqual(places.toSorted((a = 0, b = 0) => a - b))
      }
    })

    test('a busy library is spread over the shards', async () => {
      const { stream, shards } = await open()
      // Few in parallel: an attempt to connect is ended after a second.
      for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 5 }, () => stream.put(usageEvent(), signal)))
      const counts = (await shards()).map((shard) => shard.length)
      expect(counts.length).toBeGreaterThan(1)
      expect(Math.min(...counts)).toBeGreaterThan(0)
      expect(counts.reduce((sum, count) => sum + count)).toBe(100)
    })

    test('an event of maximum length is accepted', async () => {
      const { stream, shards } = await open()
      const topics = ['é', 'ü', '語'].map((letter) => letter.repeat(80))
      const event = usageEvent({ library: `/${'語'.repeat(498)}`, version: '語'.repeat(300), topics })
      await stream.put(event, signal)
      expect((await shards()).flat().map(({ data }) => read(data))).toEqual([event])
    })
  })
}
