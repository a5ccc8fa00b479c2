import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { whyUnreadable } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { documentKind } from '../../../shared/reading/discover/document-kind.ts'
import { junkOf } from '../../../shared/reading/discover/junk.ts'
import { isDocument } from './source-kind.ts'

/** A file that may be sent: its path below the folder, with `/`, and its place on the disk. */
export type LocalFile = { path: string; file: string; sizeBytes: number; modifiedMs: number }

/** The rules of a `.gitignore`, which begins to apply in the folder `below`. */
type Rules = { below: string; rules: Ignore }

/** Documents are included by their paths, which other files of this size may be. */
const maxIncludedBytes = 2 ** 20
const maxCandidates = 100_000
const headBytes = 4_096

/**
 * The files of a folder, sorted by path. Links, hidden files, folders of tools, packages and tests, and what a `.gitignore` of the folder names
 * are left out. Throws command_failed.
 */
export async function listFolder(folder: string): Promise<LocalFile[]> {
  const root = await realpath(folder)
  const files: LocalFile[] = []
  const waiting: { path: string; rules: readonly Rules[] }[] = [{ path: '', rules: [] }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = await readdir(join(root, at.path), { withFileTypes: true })
    const rules = [...at.rules, ...(await rulesOf(root, at.path, entries))]
    for (const entry of entries) {
      const path = at.path === '' ? entry.name : `${at.path}/${entry.name}`
      if (isIgnored(rules, path, entry.isDirectory())) continue
      if (entry.isDirectory() && !isJunkFolder(path)) waiting.push({ path, rules })
      if (!entry.isFile() || entry.name.startsWith('.')) continue
      const file = join(root, path)
      // A file may be deleted between the listing and here.
      const facts = await stat(file).catch(() => undefined)
      if (facts) files.push({ path, file, sizeBytes: facts.size, modifiedMs: facts.mtimeMs })
      if (files.length > maxCandidates) throw tooMany(folder)
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns the documents, and the texts that documents may include. Throws command_failed for one that cannot be read. */
export async function readableFiles(files: readonly LocalFile[]): Promise<LocalFile[]> {
  const readable: LocalFile[] = []
  for (const file of files) {
    if (documentKind(file.path) === undefined && file.sizeBytes > maxIncludedBytes) continue
    const head = await readHead(file)
    if (head !== undefined && (isDocument(file.path) || !head.includes(0))) readable.push(file)
  }
  return readable
}

export const tooMany = (folder: string): AppError =>
  new AppError(
    'command_failed',
    `${folder} holds more files than an upload may have, which is 10,000. Add the folder of its documentation, or a .zip of up to 20,000 files.`,
  )

async function readHead({ file, path }: LocalFile): Promise<Buffer | undefined> {
  try {
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new AppError('command_failed', `The file ${path} ${whyUnreadable(error)}.`, { cause: error })
  }
}

async function rulesOf(root: string, below: string, entries: readonly { name: string }[]): Promise<Rules[]> {
  if (!entries.some(({ name }) => name === '.gitignore')) return []
  const text = await readFile(join(root, below, '.gitignore'), 'utf8').catch(() => '')
  return [{ below, rules: ignore({ allowRelativePaths: true }).add(text) }]
}

/** The file that is nearest decides last. */
function isIgnored(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  let ignored = false
  for (const { below, rules: own } of rules) {
    const inside = below === '' ? path : path.slice(below.length + 1)
    const verdict = own.test(isFolder ? `${inside}/` : inside)
    if (verdict.ignored || verdict.unignored) ignored = verdict.ignored
  }
  return ignored
}

const isJunkFolder = (path: string): boolean => junkOf(`${path}/page.md`, () => false)?.path === `${path}/`
