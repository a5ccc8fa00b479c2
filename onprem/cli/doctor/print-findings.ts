import { type Columns, printList } from '../../../shared/cli/print-list.ts'
import type { Finding } from './finding.ts'

/** A finding with the name of its check. */
export type Line = Finding & { check: string }

const columns: Columns<Line> = {
  state: ({ state }) => state,
  check: ({ check }) => check,
  result: ({ message, advice }) => (advice === undefined ? message : `${message} ${advice}`),
}

/** Prints the findings of `doctor`. A problem means exit code 1. */
export function printFindings(lines: Line[], options: { json: boolean | undefined }): void {
  printList(columns, lines, options)
  if (lines.some(({ state }) => state === 'problem')) process.exitCode = 1
}
