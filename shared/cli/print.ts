/** Answers are for programs (standard output), remarks for people (standard error). */
export const printAnswer = (line: string): void => void process.stdout.write(`${withoutControl(line)}\n`)
export const printRemark = (line: string): void => void process.stderr.write(`carrel: ${withoutControl(line)}\n`)

/** Control characters in texts of repositories, bundles and hosts could change the terminal. Tabs and newlines stay. */
export const withoutControl = (text: string): string => text.replaceAll(/(?![\t\n])\p{Cc}/gu, '')
