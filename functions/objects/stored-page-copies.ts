import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { readLines } from '../../shared/text/read-lines.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * The key of the pages that a source showed when a generation was read, so that a refresh asks only for those that have changed. They are
 * deleted with the generation.
 */
export const pageCopiesKey = (generation: string): string => `page-copies/${generation}.jsonl.gz`

type Objects = Pick<ObjectStore, 'get' | 'put'>

/** Makes `folder` with the copies of a generation; an empty one if there are none. Throws if they cannot be read whole. */
export async function fetchPageCopies(
  objects: Objects,
  generation: string | undefined,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder)
  const stored = generation === undefined ? undefined : await objects.get(pageCopiesKey(generation))
  if (!stored) return
  for await (const line of readLines(pipeline(stored.body, createGunzip(), ignore))) {
    signal.throwIfAborted()
    const [name, text] = JSON.parse(line)
    await writeFile(join(folder, name), text)
  }
}

/** Stores the files of `folder` as the copies of a generation, if there is one: a line of JSON for each. */
export async function storePageCopies(
  objects: Objects,
  generation: string | undefined,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  if (generation === undefined) return
  const packed = pipeline(Readable.from(linesOf(folder, signal)), createGzip(), ignore)
  await objects.put(pageCopiesKey(generation), packed, 'application/gzip')
}

async function* linesOf(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  for (const name of await readdir(folder)) {
    signal.throwIfAborted()
    const line = JSON.stringify([name, await readFile(join(folder, name), 'utf8')])
    yield `${line}\n`
  }
}

/** Errors reach the reader of the last stream. */
const ignore = () => undefined
