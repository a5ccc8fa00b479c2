const plainWord = /^[\w@%+=:,./-]+$/

/** A text as one word of a shell command. */
export const shellWord = (text: string): string => (plainWord.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
