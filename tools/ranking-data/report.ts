/** Reports progress, or a file that is skipped or only partly used. */
export type Report = (line: string) => void

/** Prints a report. */
export const report: Report = (line) => void process.stderr.write(`${line}\n`)

/** Gathers the values of a repeatable option. */
export const collect = (value: string, before: string[]): string[] => [...before, value]
