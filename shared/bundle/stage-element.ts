import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Skipped } from '../reading/discover/skipped.ts'
import { BundleHead } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import { type SnippetList, snippetLists } from './read-element.ts'

const headFile = 'head.json'
const lostFile = 'lost.ndjson'
const fileOf = (list: SnippetList) => `${list}.ndjson`
const heldCharacters = 256 * 1024
const readBytes = 256 * 1024

/** A page that could not be read, by its number. */
export type SkippedPage = Skipped & { number: number }

/** An element of a bundle on its way to the disk. */
export type StagingElement = {
  add(list: SnippetList, snippet: BundleSnippet): Promise<void>
  finish(head: BundleHead): Promise<void>
  /** What was begun is left as it is. */
  abort(): Promise<void>
}

/** Begins an element in a new folder: a file for each list, a snippet a line, and the head. */
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
      if (held[list].length >= heldCharacters) await flush(list)
    },
    async finish(head) {
      for (const list of snippetLists) await flush(list)
      await close()
      await writeFile(join(folder, headFile), JSON.stringify(head), { flag: 'wx', mode: 0o600 })
    },
    abort: close,
  }
}

/** What a staged element says of its library. Undefined where it is gone. */
export async function readStagedHead(folder: string): Promise<BundleHead | undefined> {
  const text = await readFile(join(folder, headFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : BundleHead.parse(JSON.parse(text))
}

/** The pages that no run could read. */
export async function readSkippedPages(folder: string): Promise<SkippedPage[]> {
  const text = await readFile(join(folder, lostFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').flatMap((line) => parsedOr(line) ?? [])
}

/** A program that appended to the list could be killed within a line; its page is read once more. */
function parsedOr(line: string): SkippedPage | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Writes a new file beside the old one: a full disk or a kill leaves the list as it was. */
export async function addSkippedPages(folder: string, pages: SkippedPage[]): Promise<void> {
  const path = join(folder, lostFile)
  const all = [...(await readSkippedPages(folder)), ...pages]
  await writeFile(`${path}.new`, all.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/**
 * The snippets of a staged element, in the order that their library had where they say it, else the code snippets first. Each list
 * is in that order by itself. It holds up the thread that it runs in.
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

/** Node's own reader of lines takes U+2028 for the end of one. */
function* readLines(path: string): Generator<string> {
  const file = openIfThere(path)
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

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
