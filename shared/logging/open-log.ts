import { isatty } from 'node:tty'
import type { ServerLog } from '../log.ts'
import { jsonLog, standardOutput } from './json-log.ts'
import type { LogLevel } from './log-level.ts'
import { logProgress, type ShowProgress } from './show-progress.ts'

export type OpenedLog = {
  log: ServerLog
  showProgress: ShowProgress
  /** Prints a text for people; undefined if standard output is not a terminal. */
  print?: (text: string) => void
}

type Env = Record<string, string | undefined>

/** The log of a server: lines for people on a terminal, else JSON lines. */
export async function openLog(level: LogLevel, env: Env): Promise<OpenedLog> {
  if (!isatty(1)) {
    const log = jsonLog({ level })
    return { log, showProgress: logProgress(log) }
  }
  const { terminalLog } = await import('./terminal-log.ts')
  const controls = env.TERM !== 'dumb'
  return terminalLog({
    level,
    output: standardOutput(),
    columns: () => process.stdout.columns ?? 80,
    colors: controls && !env.NO_COLOR,
    controls,
  })
}
