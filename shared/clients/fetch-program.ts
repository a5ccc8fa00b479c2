/** The file for the program that needs no install. */
export const programFile = 'carrel.mjs'

/** The command that fetches it from a deployment. */
export const fetchProgram = (root: string): string => `curl -fsSLo ${programFile} ${root}/cli.mjs`
