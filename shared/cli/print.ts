import * as util from 'node:util'

/** Answers are for programs (standard output), remarks for people (standard error). */
export const printAnswer = (line: string): void => void process.stdout.write(`${withoutControl(line)}\n`)
export const printRemark = (line: string): void => void process.stderr.write(`carrel: ${withoutControl(line)}\n`)

/** Prints what a command has done: after a green tick on a terminal. */
export function printDone(line: string): void {
  if (process.stdout.isTTY) process.stdout.write(`${coloured('green', '✓')} `)
  printAnswer(line)
}

/** The same of a command that prints nothing into a pipe. */
export function sayDone(line: string): void {
  if (process.stdout.isTTY) printDone(line)
}

export type Colour = 'green' | 'yellow' | 'red' | 'dim'

/** The text in a colour on a terminal that shows colours; `NO_COLOR` and `FORCE_COLOR` decide first. Node 18 has no `styleText`. */
export const coloured = (colour: Colour, text: string): string =>
  util.styleText?.(colour, text, { stream: process.stdout }) ?? text

/** Control characters in texts of repositories, bundles and hosts could change the terminal. Tabs and newlines stay. */
export const withoutControl = (text: string): string => text.replaceAll(/(?![\t\n])\p{Cc}/gu, '')
