import type { DestinationStream } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { ServerLog } from '../log.ts'
import { escapeHidden } from './escape-hidden.ts'
import { jsonLog } from './json-log.ts'
import type { LogLevel } from './log-level.ts'
import { progressLine } from './progress-line.ts'
import { logProgress, type RunningJob, type ShowProgress } from './show-progress.ts'

type TerminalLog = { log: ServerLog; showProgress: ShowProgress; print(text: string): void }

type Terminal = { output: DestinationStream; columns(): number; colors: boolean; controls: boolean }

const redrawMs = 200
const eraseLine = '\r\u001B[K'

/**
 * A log for people. A running job is a line below the log that is drawn again and again; a terminal without control sequences gets log lines
 * about it instead.
 */
export function terminalLog({ level, ...terminal }: Terminal & { level: LogLevel }): TerminalLog {
  const { output, colors, controls } = terminal
  const bar = progressBar(terminal)
  const print = (text: string) => bar.above(() => output.write(text))
  const pretty = prettyFactory({
    colorize: colors,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'request',
    errorLikeObjectKeys: ['error'],
    singleLine: true,
  })
  const write = (json: string) => {
    const line = level === 'debug' ? json : lineForPeople(json)
    if (line !== undefined) print(escapeHidden(pretty(line)))
  }
  const log = jsonLog({ level, output: { write } })
  return { log, print, showProgress: controls ? bar.show : logProgress(log) }
}

/** One line at the bottom of the terminal. */
function progressBar({ output, columns }: Pick<Terminal, 'output' | 'columns'>): {
  show: ShowProgress
  above(write: () => void): void
} {
  let line: (() => string) | undefined
  let drawn = false
  const erase = () => {
    if (drawn) output.write(eraseLine)
    drawn = false
  }
  const draw = () => {
    if (line === undefined) return
    output.write(`${eraseLine}${line()}`)
    drawn = true
  }
  return {
    show({ project }: RunningJob, figures) {
      const began = performance.now()
      // The last column stays empty, since a full line would wrap.
      const shown = () =>
        progressLine(project, figures(), Math.floor((performance.now() - began) / 1000), Math.max(1, columns() - 1))
      line = shown
      const timer = setInterval(draw, redrawMs).unref()
      return {
        end() {
          clearInterval(timer)
          if (line !== shown) return
          erase()
          line = undefined
        },
      }
    },
    above(write) {
      erase()
      write()
      draw()
    },
  }
}

type Line = { msg?: string; status?: number; error?: unknown }
type LoggedError = { message?: unknown; causes?: unknown; stack?: unknown }

/**
 * A JSON line of the log, as a terminal shows it. Answered requests are omitted, since they would push everything else off the screen. An error
 * without stack frames is its message, so that it fits the line.
 */
export function lineForPeople(json: string): string | undefined {
  const line = JSON.parse(json) as Line
  if (line.msg === 'request' && line.status !== undefined && line.status < 400) return undefined
  const error = messageOf(line.error)
  return error === undefined ? json : `${JSON.stringify({ ...line, error })}\n`
}

/** Returns undefined for an error that has stack frames: a bug is shown whole. */
function messageOf(error: unknown): string | undefined {
  const { message, causes, stack } = (error ?? {}) as LoggedError
  if (typeof message !== 'string' || stack !== undefined) return undefined
  return [message, ...(Array.isArray(causes) ? causes : [])].join(' Cause: ')
}
