import { realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type ClientName, entryName } from '../../../shared/clients/entries.ts'
import type { ChangeRecord, ChangeRecords } from './change-records.ts'
import type { ClientFile } from './client-files.ts'
import { clients } from './clients.ts'
import { UnusableFile } from './edit.ts'
import { keysIn } from './servers.ts'
import {
  deleteEmptyFolders,
  deleteFile,
  hashOf,
  hideFromOthers,
  missingFolders,
  readTextFile,
  realPath,
  replaceTextFile,
  type TextFile,
} from './text-file.ts'

export type Change = {
  state: 'created' | 'changed' | 'unchanged' | 'restored' | 'deleted' | 'kept'
  /** The texts before and after; `undefined` is no file. */
  before: string | undefined
  after: string | undefined
  /** Remarks for the user. */
  notes?: string[]
}
type Options = { records: ChangeRecords; dryRun: boolean }
type AddOptions = Options & { project: string | undefined }
type UndoOptions = AddOptions & {
  /** True if there is no record at all, for example because the home folder is that of a new container. */
  isForgotten: boolean
  /** The clients that stay and read a file. */
  readersOf(path: string): ClientName[]
}

/** Adds our part to a file, in a project only to one that no symbolic link leads to. Throws UnusableFile if the file must not be changed. */
export function applyEdit(
  client: ClientName,
  { what, path, edit, holdsKey }: ClientFile,
  { records, dryRun, project }: AddOptions,
): Change {
  rejectLink(path, project)
  const file = readTextFile(path)
  const { text: before } = file
  const { text: after, server, notes = [] } = edit.add(before)
  const flaw = what === 'MCP server' ? clients[client].flawOf?.(after) : undefined
  if (flaw !== undefined) notes.push(`warning: it ${flaw}, so ${clients[client].label} rejects it`)
  const record = records.get(file.path)
  const state = before === undefined ? 'created' : before === after ? 'unchanged' : 'changed'
  const change: Change = { state, before, after, notes }
  if (dryRun) return change
  const isSecret = holdsKey && keysIn(after).length > 0
  if (before === after) {
    if (record && !record.clients.includes(client)) records.put({ ...record, clients: [...record.clients, client] })
    if (isSecret && hideFromOthers(file)) return { ...change, state: 'changed', notes: [...notes, 'now only you can read it'] }
    return change
  }
  const readers = [...new Set([...(record?.clients ?? []), client])]
  records.put({
    path: file.path,
    what,
    project,
    clients: readers,
    original: record ? originalOf(before, edit, record) : before,
    mode: record ? record.mode : file.mode,
    folders: [...(record?.folders ?? []), ...missingFolders(file.path)],
    written: hashOf(after),
    ...(server !== undefined && { servers: [...new Set([...(record?.servers ?? []), server])] }),
  })
  replaceTextFile(file, after, isSecret ? 0o600 : file.mode)
  return change
}

/** The author of a repository chooses its links. */
function rejectLink(path: string, project: string | undefined): void {
  if (project !== undefined && realPath(path) !== join(realpathSync(project), relative(project, path)))
    throw new UnusableFile('is reached by a symbolic link, which setup does not follow in a project')
}

/**
 * Takes our part out of a file that was set up for this client, unless a client that is not in `leaving` reads it. A file that was not edited
 * since gets its former bytes back. Throws UnusableFile.
 */
export function undoEdit(client: ClientName, leaving: ClientName[], clientFile: ClientFile, options: UndoOptions): Change {
  const { path, edit } = clientFile
  const { records, dryRun } = options
  const file = readTextFile(path)
  const { text: before } = file
  const record = records.get(file.path)
  if (!record) return undoUnrecorded(file, clientFile, options)
  if (!record.clients.includes(client)) return { state: 'unchanged', before, after: before }
  const others = record.clients.filter((each) => !leaving.includes(each))
  if (others.length > 0 && before !== undefined) {
    if (!dryRun) records.put({ ...record, clients: others })
    return keptFor(others, before)
  }
  const isAsWritten = before !== undefined && hashOf(before) === record.written
  const after = originalOf(before, edit, record)
  if (!dryRun) {
    if (before !== undefined && after === undefined) deleteFile(file.path)
    if (after !== undefined && after !== before) replaceTextFile(file, after, isAsWritten ? record.mode : file.mode)
    deleteEmptyFolders(record.folders)
    records.delete(file.path)
  }
  if (before !== after) return { state: after === undefined ? 'deleted' : isAsWritten ? 'restored' : 'changed', before, after }
  const isEdited = before !== undefined && before !== record.original
  return isEdited ? { state: 'kept', before, after, notes: ['it was edited since'] } : { state: 'unchanged', before, after }
}

const keptFor = (others: ClientName[], text: string): Change => ({
  state: 'kept',
  before: text,
  after: text,
  notes: [`used by ${others.map((each) => clients[each].label).join(', ')}`],
})

/**
 * If all records are gone, an entry that is exactly as setup writes it is removed. Otherwise a file without a record is not from
 * setup.
 */
function undoUnrecorded(
  file: TextFile,
  { what, path, edit }: ClientFile,
  { isForgotten, project, readersOf, dryRun }: UndoOptions,
): Change {
  const { text: before } = file
  if (before === undefined || !edit.isIn(before)) return { state: 'unchanged', before, after: before }
  const readers = what === 'MCP server' ? [] : readersOf(path)
  if (readers.length > 0) return keptFor(readers, before)
  const rest = isForgotten ? edit.removeIdentical(before) : before
  if (rest === before) {
    const part = what === 'MCP server' ? `delete the server "${entryName}" in it` : 'delete what Carrel wrote'
    const note = isForgotten ? `not as setup writes it: ${part} yourself` : 'setup did not write it'
    return { state: 'kept', before, after: before, notes: [note] }
  }
  rejectLink(path, project)
  const after = rest !== undefined && isBlank(rest) ? undefined : rest
  if (!dryRun) {
    if (after === undefined) deleteFile(file.path)
    else replaceTextFile(file, after, file.mode)
    if (what === 'skill') deleteEmptyFolders([dirname(file.path)])
  }
  return { state: after === undefined ? 'deleted' : 'changed', before, after }
}

/** The text without the parts that setup wrote; `undefined` if setup created the file and nothing else is in it. */
function originalOf(text: string | undefined, { remove }: ClientFile['edit'], record: ChangeRecord): string | undefined {
  // Its user may have brought back the former text.
  if (text === undefined || text === record.original) return text
  if (hashOf(text) === record.written) return record.original
  const rest = remove(text, { original: record.original, servers: record.servers })
  return rest !== undefined && record.original === undefined && isBlank(rest) ? undefined : rest
}

/** True if a file that setup created holds nothing of its user. */
const isBlank = (text: string): boolean => /^[\s{}\uFEFF]*$/.test(text)
