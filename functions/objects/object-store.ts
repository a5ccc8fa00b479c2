import type { Readable } from 'node:stream'
import { excerpt } from '../../shared/text/excerpt.ts'

export type StoredObject = { sizeBytes: number; body: Readable }

/** Objects in a bucket by key, or files in a folder. Keys are `a/b/c` of plain characters. */
export type ObjectStore = {
  /** Atomic: a body that fails leaves the previous object. */
  put(key: string, body: Readable | Uint8Array, contentType: string): Promise<void>
  /** Returns undefined if there is no object. */
  get(key: string): Promise<StoredObject | undefined>
  remove(key: string): Promise<void>
  /** The keys that begin with a prefix such as `a/b/`, in any order. */
  keys(prefix: string): AsyncIterable<string>
  /** A link that downloads the object without credentials until it expires, saved under `fileName`. */
  downloadUrl(key: string, fileName: string, expiresS: number): Promise<string>
}

export type UploadLinks = {
  /** A link that stores an object of exactly this size, by PUT without credentials, until it expires. */
  uploadUrl(key: string, sizeBytes: number, expiresS: number): Promise<string>
}

const maxCharacters = 500

/** Returns the key. Throws if it is not `a/b/c` of plain characters, which is a bug, because no caller chooses keys. */
export function checkObjectKey(key: string): string {
  const isPlain = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key)
  if (!isPlain || key.length > maxCharacters) throw new Error(`${JSON.stringify(excerpt(key))} is not a valid object key.`)
  return key
}
