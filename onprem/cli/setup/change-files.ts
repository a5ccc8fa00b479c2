import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import type { Change } from './apply-edit.ts'
import type { ClientFile, Place } from './client-files.ts'
import { type ClientName, clients } from './clients.ts'
import { UnusableFile } from './edit.ts'
import { showChange } from './show-change.ts'
import { readableText } from './text-file.ts'

export type Outcome = {
  /** Files that differ, or would without --dry-run. */
  changed: number
  failed: number
}
type Reported = { client: ClientName; files: ClientFile[]; place: Place; dryRun: boolean }

/** Changes the files of one client and prints what happened to each. If `quiet`, unchanged files are not mentioned. */
export function changeFiles(
  { client, files, place, dryRun }: Reported,
  change: (file: ClientFile) => Change,
  quiet = false,
): Outcome {
  const outcome = { changed: 0, failed: 0 }
  const lines: string[] = []
  const line = ({ what, path }: ClientFile, word: string, notes: string[] = []) => {
    const more = notes.length > 0 ? ` (${notes.join('; ')})` : ''
    lines.push(`  ${what.padEnd(10)}  ${word.padEnd(dryRun ? 16 : 9)}  ${shortPath(path, place)}${more}`)
  }
  for (const file of files) {
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

/** Mentions entries of the service whose API Carrel has: the user decides which of both agents ask. */
export function reportOtherServer(client: ClientName, config: string, place: Place): void {
  try {
    const text = readableText(config)
    if (text !== undefined && 'context7' in clients[client].servers(text))
      printRemark(`${shortPath(config, place)} also has the server "context7", which was left alone.`)
  } catch (error) {
    // A file that cannot be read was reported.
    if (!(error instanceof UnusableFile)) throw error
  }
}

/** As a person writes it: relative to the project, else to the home folder. */
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
