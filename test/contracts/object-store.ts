import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ObjectStore, StoredObject } from '../../functions/objects/object-store.ts'

export type OpenedObjects = { objects: ObjectStore; close(): Promise<void> }

const stored = (found: StoredObject | undefined): StoredObject => {
  if (!found) throw new Error(`an object was expected: ${found}`)
  return found
}

/** Tests that every `ObjectStore` must pass. */
export function objectStoreContract(name: string, open: () => Promise<OpenedObjects>): void {
  describe(`objects in ${name}`, () => {
    let opened: OpenedObjects
    let objects: ObjectStore
    const read = async (key: string) => buffer(stored(await objects.get(key)).body)
    beforeEach(async () => {
      opened = await open()
      objects = opened.objects
    })
    afterEach(() => opened.close())

    test('are read as they were written, with their size', async () => {
      await objects.put('a/b.json', Buffer.from('{}'), 'application/json')
      const found = stored(await objects.get('a/b.json'))
      expect([found.sizeBytes, String(await buffer(found.body))]).toEqual([2, '{}'])
    })

    test('are undefined and can be removed if they do not exist', async () => {
      await objects.put('a/b', Buffer.from('x'), 'text/plain')
      for (const key of ['absent', 'a', 'a/b/c', 'a/bc']) expect(await objects.get(key), key).toBeUndefined()
      await objects.remove('absent')
      await objects.remove('a/b')
      expect(await objects.get('a/b')).toBeUndefined()
    })

    test('have the content that was written last', async () => {
      await objects.put('a', Buffer.from('first'), 'text/plain')
      await objects.put('a', Buffer.from('other'), 'text/plain')
      expect(String(await read('a'))).toBe('other')
    })

    test('are complete if they are empty or have many parts', async () => {
      await objects.put('empty', Readable.from([]), 'text/plain')
      expect(await read('empty')).toHaveLength(0)
      const large = randomBytes(20 * 2 ** 20)
      const chunks = Array.from({ length: 20 }, (_, i) => large.subarray(i * 2 ** 20, (i + 1) * 2 ** 20))
      await objects.put('large', Readable.from(chunks, { objectMode: false }), 'text/plain')
      expect(large.equals(await read('large'))).toBe(true)
    })

    test.each([
      ['fails', 100],
      ['fails after several parts', 20 * 2 ** 20],
    ])('stay unchanged if the new body %s', async (_, bytes) => {
      await objects.put('a', Buffer.from('first'), 'text/plain')
      const failing = async function* () {
        for (let sent = 0; sent < bytes; sent += 2 ** 20) yield Buffer.alloc(Math.min(bytes, 2 ** 20))
        throw new Error('broken off')
      }
      await expect(objects.put('a', Readable.from(failing(), { objectMode: false }), 'text/plain')).rejects.toThrow('broken off')
      const destroyed = new Readable({ read() {} })
      destroyed.push('x')
      const putting = objects.put('a', destroyed, 'text/plain')
      destroyed.destroy()
      await expect(putting).rejects.toThrow()
      expect(String(await read('a'))).toBe('first')
      await expect(objects.put('b', Readable.from(failing(), { objectMode: false }), 'text/plain')).rejects.toThrow('broken off')
      expect(await objects.get('b')).toBeUndefined()
    })

    test('can be read to their end even if they are replaced or removed meanwhile', async () => {
      const first = Buffer.alloc(2 ** 20, 'a')
      await objects.put('a', first, 'text/plain')
      const [one, other] = [stored(await objects.get('a')), stored(await objects.get('a'))]
      await objects.put('a', Buffer.from('second'), 'text/plain')
      expect(first.equals(await buffer(one.body))).toBe(true)
      await objects.remove('a')
      expect(first.equals(await buffer(other.body))).toBe(true)
    })

    test('are listed by a prefix', async () => {
      const keys = async (prefix: string) => (await Array.fromAsync(objects.keys(prefix))).sort()
      expect(await keys('a/')).toEqual([])
      for (const key of ['a/b', 'a/c/d.json', 'ab', 'b']) await objects.put(key, Buffer.from('x'), 'text/plain')
      expect([await keys('a/'), await keys('a/c/')]).toEqual([['a/b', 'a/c/d.json'], ['a/c/d.json']])
    })

    test.each(['', '/a', 'a/', 'a//b', '../a', 'a/../../b', 'a/./b', '.hidden', 'a\\b', 'a\0b', 'a b', 'ä', 'x'.repeat(501)])(
      'are rejected with the key %j',
      async (key) => {
        const attempts = [
          () => objects.put(key, Buffer.from('x'), 'text/plain'),
          () => objects.get(key),
          () => objects.remove(key),
          () => objects.downloadUrl(key, 'a.zip', 60),
        ]
        for (const attempt of attempts) await expect((async () => attempt())()).rejects.toThrow('is not a valid object key')
      },
    )
  })
}
