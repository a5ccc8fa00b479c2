import type { Readable } from 'node:stream'

export type StoredObject = { sizeBytes: number; body: Readable }

/** Objects in a bucket by key, or files in a folder. Keys are `a/b/c` of plain characters. */
export type ObjectStore = {
  /** Whole or not at all: a body that breaks off leaves what was there before. */
  put(key: string, body: Readable | Uint8Array, contentType: string): Promise<void>
  /** Undefined where there is none. */
  get(key: string): Promise<StoredObject | undefined>
  remove(key: string): Promise<void>
  /** An address that anybody may fetch the object from for so long, saved under that name. */
  downloadUrl(key: string, fileName: string, expiresS: number): Promise<string>
}
