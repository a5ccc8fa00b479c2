/** Prints a line about the progress or about a skipped file. */
export const report = (line: string): void => void process.stderr.write(`${line}\n`)

/** Gathers the values of a repeatable option. */
export const collect = (value: string, before: string[]): string[] => [...before, value]
