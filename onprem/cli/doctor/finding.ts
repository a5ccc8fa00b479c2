import type { Install } from '../../../shared/cli/install.ts'
import { type Columns, printList } from '../../../shared/cli/print-list.ts'
import type { Connection } from '../api/connection.ts'

/** The result of one check, in one sentence. `advice` says what to do. */
export type Finding = { state: 'ok' | 'warning' | 'problem'; message: string; advice?: string | undefined }

export const ok = (message: string): Finding => ({ state: 'ok', message })
export const warning = (message: string, advice?: string): Finding => ({ state: 'warning', message, advice })
export const problem = (message: string, advice?: string): Finding => ({ state: 'problem', message, advice })

type Env = Record<string, string | undefined>

export type DoctorPorts = {
  install: Install
  env: Env
  /** The running server of the install. */
  server: Connection | undefined
  /** False if the install has no database yet. */
  hasDatabase: boolean
}

/** A finding with the name of its check. */
export type Line = Finding & { check: string }

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const

const columns: Columns<Line> = {
  state: ({ state }) => ({ text: state, colour: colours[state] }),
  check: ({ check }) => check,
  result: ({ message, advice }) => (advice === undefined ? message : `${message} ${advice}`),
}

/** Prints the findings of `doctor`. A problem means exit code 1. */
export function printFindings(lines: Line[], options: { json: boolean | undefined }): void {
  printList(columns, lines, options)
  if (lines.some(({ state }) => state === 'problem')) process.exitCode = 1
}
