/** A change of one text file that can be taken back. Line endings, comments and everything else of the file stay as they are. */
export type Edit = {
  /** The text with our part in it; the same text if it has it already. `undefined` is a missing file. Throws UnusableFile. */
  add(text: string | undefined): Added
  /** The text without our part; `undefined` if the file holds nothing else. Throws UnusableFile. */
  remove(text: string, written?: Written): string | undefined
  /** True if a text has a part that looks like ours. Throws UnusableFile. */
  isIn(text: string): boolean
  /** `remove`, but only of a part that is exactly as we write it. Throws UnusableFile. */
  removeIdentical(text: string): string | undefined
}

type Added = {
  text: string
  /** The server that has our address: `carrel`, unless its user has given it another name. */
  server?: string
  /** Remarks for the user. */
  notes?: string[]
}

type Written = {
  /** The text before setup, from which replaced parts are restored. */
  original?: string | undefined
  /** The servers that setup wrote. */
  servers?: readonly string[] | undefined
}

/** A file that must not be changed. The message continues the sentence "PATH …". */
export class UnusableFile extends Error {}

const bom = '\uFEFF'

/** Runs an edit on a text without its byte order mark, which stays. */
export function keepingBom(text: string, edit: (body: string) => string): string {
  return text.startsWith(bom) ? bom + edit(text.slice(1)) : edit(text)
}

export const withoutBom = (text: string): string => (text.startsWith(bom) ? text.slice(1) : text)

export const lineEndOf = (text: string): '\r\n' | '\n' => (text.includes('\r\n') ? '\r\n' : '\n')

export type Replacement = { start: number; end: number; text: string }

/** Replaces ranges of a text that do not overlap. */
export function replaceRanges(text: string, replacements: Replacement[]): string {
  let result = text
  for (const { start, end, text: inserted } of [...replacements].sort((a, b) => b.start - a.start || b.end - a.end))
    result = result.slice(0, start) + inserted + result.slice(end)
  return result
}

/** A file that is ours as a whole. */
export function editOwnFile(content: string): Edit {
  const remove = (text: string) => (text === content ? undefined : text)
  return { add: () => ({ text: content }), remove, isIn: () => true, removeIdentical: remove }
}
