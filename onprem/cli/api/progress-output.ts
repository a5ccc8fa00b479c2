import { printRemark, withoutControl } from '../../../shared/cli/print.ts'

/** The progress of a command on standard error. */
export type ProgressOutput = {
  /** Shows one line, with a bar for the `share` that is done. A terminal shows only the newest line; elsewhere, one is printed every few seconds. */
  show(line: string, share?: number): void
  /** Prints a line that stays. */
  remark(line: string): void
  /** Removes the newest line from the terminal. */
  clear(): void
}

type ErrorOutput = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

const printEveryMs = 5_000
const eraseLine = '\r\u001b[K'
const barWidth = 20
const barOf = (share: number): string => `[${'#'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '.')}]`

export function progressOutput(stream: ErrorOutput = process.stderr): ProgressOutput {
  let shown = ''
  let printedAt = Number.NEGATIVE_INFINITY
  const clear = () => {
    if (shown !== '' && stream.isTTY) stream.write(eraseLine)
    shown = ''
  }
  return {
    show(line, share) {
      if (line === shown) return
      if (stream.isTTY) {
        // A line that wraps could not be erased.
        const bar = share === undefined ? '' : `${barOf(share)} `
        stream.write(eraseLine + withoutControl(bar + line).slice(0, (stream.columns || 80) - 1))
      } else {
        if (performance.now() - printedAt < printEveryMs) return
        printedAt = performance.now()
        printRemark(line)
      }
      shown = line
    },
    remark(line) {
      clear()
      printRemark(line)
    },
    clear,
  }
}
