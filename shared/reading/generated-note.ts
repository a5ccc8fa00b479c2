const note = (source: string) => `Generated from \`${source}\` by a language model.`
const noteAtStart = /^Generated from `[^\n]*` by a language model\.(?:\n\n|$)/

/** Tells readers of a single snippet that it was generated. The note is not searched. */
export const withGeneratedNote = (content: string, source: string): string => `${note(source)}\n\n${content}`

export const withoutGeneratedNote = (prose: string): string => prose.replace(noteAtStart, '')
