const maxPathChars = 4096

const frontPage = /(?:^|\/)(?:index|readme|_index)\.[a-z]+$/i
/** Names of release notes and migration guides. `room_upgrades`, `history_visibility` and `migrations` are subjects of their own. */
const changeName =
  /(?:^|\/)(?:(?:api|breaking|full|notable)[-_])?(?:changes|change[-_]?logs?|news|releases?|release[-_]?notes?|release[-_]?history|whats[-_]?new|what-s-new|migration(?:[-_](?:guides?|notes?))?|migrat(?:e|ing|ion)[-_](?:guides?|from|to|v?\d)|(?:[a-z]{1,30}[-_])?migration[-_]guide|upgrad(?:e|ing)|upgrad(?:e|es|ing)[-_](?:guides?|notes?|from|to|v?\d))(?:[/_.-]|$)|(?:^|[/_-])change[-_]?log(?:[/_.-]|$)|(?:^|[/_-])release[-_]?notes?(?:[/_.-]|$)/i
const rootHistory = /^(?:docs?\/)?history\.[a-z]+$/i
const blogFolder = /(?:^|\/)(?:blogs?|_posts|newsletters?)\//i
const tutorialName = /(?:^|\/)(?:tutorials?|courses?|workshops?|codelabs?)(?:[-_][a-z-]{1,30})?\//i
const projectName =
  /(?:^|\/)(?:contribut(?:e|ing|ors?|ion)|code[-_]of[-_]conduct|governance|maintain(?:ers?|ing)|meetings?|meeting[-_](?:notes?|minutes)|minutes|roadmap|proposals?|rfcs?|adrs?)(?:[-_][a-z]{1,30})?(?:\/|\.[a-z]+$)/i
const securityPolicy = /^(?:docs\/)?SECURITY\.[a-z]+$/
const date = /\d{4}-\d{2}-\d{2}/
const version = /(?:^|[/_-])v?\d+[._-]\d+(?:[._-]\w|$)/i
const extension = /\.[a-z]+$/i
const sourceFile = /\.(?:ts|tsx|js|jsx|pyi?|go|rs|java|rb|c|cc|cpp|h|cs|kt|swift|php)$/i

export const pageKinds = ['front', 'change', 'source', 'blog', 'tutorial', 'project', 'api'] as const

/**
 * `front`: the front page of a folder. `change`: release notes or a migration guide. `source`: written about code by a language model. `project`: for
 * people who work on the library. `api`: the API reference of source files. A page without a kind is another reference or a guide.
 */
export type PageKind = Record<(typeof pageKinds)[number], boolean>

/** The kind of a page, by its path only, which does not tell `api`. Takes linear time, because the path is untrusted input. */
export function pageKind(path: string): PageKind {
  const end = path.slice(-maxPathChars)
  return {
    front: frontPage.test(end),
    change: changeName.test(end) || rootHistory.test(path) || date.test(end) || isNamedByVersion(end),
    source: sourceFile.test(end),
    blog: blogFolder.test(end) && !tutorialName.test(end),
    tutorial: tutorialName.test(end),
    project: projectName.test(end) || securityPolicy.test(path),
    api: false,
  }
}

/** A kind as a number for `pageKindOf`. */
export const pageKindByte = (kind: PageKind): number =>
  pageKinds.reduce((byte, each, bit) => byte | (kind[each] ? 1 << bit : 0), 0)

export const pageKindOf = (byte: number): PageKind =>
  Object.fromEntries(pageKinds.map((kind, bit) => [kind, (byte & (1 << bit)) > 0])) as PageKind

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
