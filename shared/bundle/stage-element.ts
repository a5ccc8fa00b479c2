import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Skipped } from '../reading/discover/skipped.ts'
import { BundleHead } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import { type SnippetList, snippetLists } from './read-element.ts'

const headFile = 'head.json'
const notesFile = 'notes.json'
const lostFile = 'lost.ndjson'
const fileOf = (list: SnippetList) => `${list}.ndjson`
const maxHeldChars = 256 * 1024
const readBytes = 256 * 1024

/** A page that could not be read, by its number. */
export type SkippedPage = Skipped & { number: number }

/** Writes an element of a bundle to disk. */
export type StagingElement = {
  add(list: SnippetList, snippet: BundleSnippet): Promise<void>
  /** `notes` are for the report of the job. */
  finish(head: BundleHead, notes: Skipped[]): Promise<void>
  /** Closes the files without deleting them. */
  abort(): Promise<void>
}

/** Writes an element to a new folder: a file per list with one snippet per line, and the head. */
export async function stageElement(folder: string): Promise<StagingElement> {
  await mkdir(folder, { mode: 0o700 })
  const files = new Map<SnippetList, FileHandle>()
  const held: Record<SnippetList, string> = { codeSnippets: '', infoSnippets: '' }
  const flush = async (list: SnippetList) => {
    const text = held[list]
    held[list] = ''
    if (text === '') return
    const file = files.get(list) ?? (await open(join(folder, fileOf(list)), 'wx', 0o600))
    files.set(list, file)
    await file.writeFile(text)
  }
  const close = async () => {
    for (const file of files.values()) await file.close()
    files.clear()
  }
  return {
    async add(list, snippet) {
      held[list] += `${JSON.stringify(snippet)}\n`
      if (held[list].length >= maxHeldChars) await flush(list)
    },
    async finish(head, notes) {
      for (const list of snippetLists) await flush(list)
      await close()
      if (notes.length > 0) await writeFile(join(folder, notesFile), JSON.stringify(notes), { flag: 'wx', mode: 0o600 })
      await writeFile(join(folder, headFile), JSON.stringify(head), { flag: 'wx', mode: 0o600 })
    },
    abort: close,
  }
}

/** The head of a staged element; undefined if it was deleted. */
export async function readStagedHead(folder: string): Promise<BundleHead | undefined> {
  const text = await readIfExists(join(folder, headFile))
  return text === undefined ? undefined : BundleHead.parse(JSON.parse(text))
}

/** The parts of the element that were omitted or changed when it was staged. */
export async function readNotes(folder: string): Promise<Skipped[]> {
  return JSON.parse((await readIfExists(join(folder, notesFile))) ?? '[]')
}

/** The pages that earlier runs skipped. */
export async function readSkippedPages(folder: string): Promise<SkippedPage[]> {
  const text = (await readIfExists(join(folder, lostFile))) ?? ''
  return text.split('\n').flatMap((line) => parseLine(line) ?? [])
}

function readIfExists(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** A line may be incomplete after a power failure; its page is read again. */
function parseLine(line: string): SkippedPage | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Writes a new file and renames it, so that a full disk or a crash leaves the old list. */
export async function addSkippedPages(folder: string, pages: SkippedPage[]): Promise<void> {
  const path = join(folder, lostFile)
  const all = [...(await readSkippedPages(folder)), ...pages]
  await writeFile(`${path}.new`, all.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/**
 * Reads the snippets of a staged element in their original order if they have one, else the code snippets first. Each list is sorted already.
 * Blocks its thread.
 */
export function* readStagedSnippets(folder: string): Generator<BundleSnippet> {
  const [codes, infos] = snippetLists.map((list) => readLines(join(folder, fileOf(list))))
  if (!codes || !infos) return
  const next = (lines: Generator<string>): BundleSnippet | undefined => {
    const { value, done } = lines.next()
    return done ? undefined : JSON.parse(value)
  }
  let [code, info] = [next(codes), next(infos)]
  while (code || info) {
    if (code && (!info || (code.order ?? 0) <= (info.order ?? 0))) {
      yield code
      code = next(codes)
    } else if (info) {
      yield info
      info = next(infos)
    }
  }
}

/** Node's line reader also splits at U+2028. */
function* readLines(path: string): Generator<string> {
  const file = openIfExists(path)
  if (file === undefined) return
  try {
    const buffer = Buffer.alloc(readBytes)
    let parts: Buffer[] = []
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
      let from = 0
      for (let at = buffer.indexOf(10); at >= 0 && at < size; at = buffer.indexOf(10, from)) {
        yield Buffer.concat([...parts, buffer.subarray(from, at)]).toString()
        parts = []
        from = at + 1
      }
      parts.push(Buffer.from(buffer.subarray(from, size)))
    }
  } finally {
    closeSync(file)
  }
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
