import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import type { ClientName } from '../../../shared/clients/entries.ts'
import type { Change } from './apply-edit.ts'
import { type ClientFile, type Place, serversIn, usablePaths } from './client-files.ts'
import { clients } from './clients.ts'
import { UnusableFile } from './edit.ts'
import { UnusablePaths } from './home.ts'
import { showChange } from './show-change.ts'

export type Outcome = {
  /** Files that differ, or would without --dry-run. */
  changed: number
  failed: number
}
type Reported = {
  client: ClientName
  /** Throws UnusablePaths. */
  files(): ClientFile[]
  place: Place
  dryRun: boolean
}

/** Changes the files of one client and prints the result for each. If `quiet`, unchanged files are not mentioned. */
export function changeFiles(
  { client, files, place, dryRun }: Reported,
  change: (file: ClientFile) => Change,
  quiet = false,
): Outcome {
  const outcome = { changed: 0, failed: 0 }
  const lines: string[] = []
  const list = listFiles(files)
  if (typeof list === 'string') return reportUnusable(clients[client].label, list)
  const line = ({ what, path }: ClientFile, word: string, notes: string[] = []) => {
    const more = notes.length > 0 ? ` (${notes.join('; ')})` : ''
    lines.push(`  ${what.padEnd(10)}  ${word.padEnd(dryRun ? 16 : 9)}  ${shortPath(path, place)}${more}`)
  }
  for (const file of list) {
    try {
      const { state, before, after, notes } = change(file)
      if (state !== 'unchanged' && state !== 'kept') outcome.changed++
      if (state !== 'unchanged' || !quiet) line(file, dryRun ? planned[state] : state, notes)
      if (dryRun && file.what === 'MCP server') lines.push(...showChange(before, after).map((each) => `    ${each}`))
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error
      outcome.failed++
      line(file, 'failed', [error.message])
    }
  }
  for (const each of lines.length > 0 ? [clients[client].label, ...lines] : []) printAnswer(each)
  return outcome
}

/** The files, or why they cannot be named. */
function listFiles(files: Reported['files']): ClientFile[] | string {
  try {
    return files()
  } catch (error) {
    if (error instanceof UnusablePaths) return error.message
    throw error
  }
}

function reportUnusable(label: string, message: string): Outcome {
  printAnswer(label)
  printAnswer(`  failed: ${message}. Nothing was changed for this client.`)
  return { changed: 0, failed: 1 }
}

/** Mentions entries of the service whose API Carrel has: the user decides which of both agents ask. */
export function reportOtherServer(client: ClientName, place: Place): void {
  for (const path of usablePaths(client, place)?.configs ?? []) {
    if ('context7' in serversIn(client, path))
      printRemark(`${shortPath(path, place)} also has the server "context7", which was left alone.`)
  }
}

/** The path as a person writes it: relative to the project, else to the home folder. */
export const shortPath = (path: string, { home: { home }, project }: Place): string => {
  if (project !== undefined && path.startsWith(`${project}/`)) return path.slice(project.length + 1)
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

const planned: Record<Change['state'], string> = {
  created: 'would be created',
  changed: 'would be changed',
  unchanged: 'unchanged',
  restored: 'would be restored',
  deleted: 'would be deleted',
  kept: 'would be kept',
}
