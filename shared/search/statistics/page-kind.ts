const maxPathChars = 4096

const guidePage = /(?:^|\/)(?:index|readme|contributing|_index)\.[a-z]+$/i
const changeWord =
  /(?:^|[/_-])(?:changes|changelog|change-log|history|news|releases?|release[-_]?notes?|whats-?new|migrat[a-z]*|upgrad[a-z]*)(?:[/_.-]|$)/i
const date = /\d{4}-\d{2}-\d{2}/
const version = /(?:^|[/_-])v?\d+[._-]\d+(?:[._-]\w|$)/i
const extension = /\.[a-z]+$/i
const sourceFile = /\.(?:ts|tsx|js|jsx|py|go|rs|java|rb|c|cc|cpp|h|cs|kt|swift|php)$/i

/** `change`: release notes or a migration guide. `guide`: the front page of a folder. `source`: generated from code. */
export type PageKind = { guide: boolean; change: boolean; source: boolean }

/** The kind of a page, by its path only. Takes linear time, because the path is untrusted input. */
export function pageKind(path: string): PageKind {
  const end = path.slice(-maxPathChars)
  return {
    guide: guidePage.test(end),
    change: changeWord.test(end) || date.test(end) || isNamedByVersion(end),
    source: sourceFile.test(end),
  }
}

const kinds = ['guide', 'change', 'source'] as const

/** A kind as a number for `pageKindOf`. */
export const pageKindByte = (kind: PageKind): number => kinds.reduce((byte, each, bit) => byte | (kind[each] ? 1 << bit : 0), 0)

export const pageKindOf = (byte: number): PageKind => ({ guide: (byte & 1) > 0, change: (byte & 2) > 0, source: (byte & 4) > 0 })

/** True for `v1.2.md`, `docs/2_0-beta.1.rst` and `notes-1.0_a_b.html`: a version, then words joined by `.`, `_` or `-`, up to the extension. */
function isNamedByVersion(path: string): boolean {
  const stem = path.replace(extension, '')
  if (stem.length === path.length) return false
  // The search starts at the last character that cannot be part of such a name, so that no later step looks at the whole rest
  // again.
  let start = stem.length
  while (start > 0 && !isBreak(stem, start)) start -= 1
  return version.test(stem.slice(start))
}

/** True for a character that no such name contains, and for `.` or `-` without a letter, digit or `_` after it. */
function isBreak(path: string, index: number): boolean {
  if (index === path.length) return false
  const code = path.charCodeAt(index)
  return code === dot || code === hyphen ? !isWord(path.charCodeAt(index + 1)) : !isWord(code)
}

const [dot, hyphen, underscore] = [0x2e, 0x2d, 0x5f]

/** The `\w` of a regular expression, for a char code, because a test for each character is slower. */
const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === underscore
