const marks = /\p{M}+/gu
const runs = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu
const version = /^v?\d+(?:\.(?:\d+|x))*\+?(?:[.-]?(?:alpha|beta|rc|canary|next|lts)[.\d]*)?$/
const maxNameLength = 500

/** Words next to a name that do not distinguish libraries: kinds of programs, languages, hosts. */
const affixes = new Set(
  `js ts jsx javascript typescript node nodejs deno py python python3 java kotlin scala go golang rs rust rb ruby php net dotnet swift dart elixir lang language
css ui html web app io dev org com sh lib libs library libraries package pkg module framework toolkit core engine orm client server driver sdk api apis cli
docs doc reference guide guides book manual handbook website site homepage project official repo monorepo oss
the for latest stable lts version release 中文 文档 中文文档 官方文档 中文网 教程`.split(/\s+/),
)

/** Suffixes without a separator, longest first. */
const endings = ['官方文档', '中文文档', 'lang', '中文', '文档', 'js']

/** Lower case without diacritics. Signs that are part of a name become letters (`C++`, `C#`, `.NET`); "documentation" becomes "docs". */
export function plainName(text: string): string {
  const plain = withoutMarks(text.slice(0, maxNameLength)).toLowerCase()
  if (!/[+#]|\.net|documentation/.test(plain)) return plain
  return plain
    .replace(/\bdocumentation\b/g, 'docs')
    .replaceAll('++', 'pp')
    .replace(/(?<=(?:^|[^a-z])[a-z])#/g, 'sharp')
    .replace(/(?<![a-z0-9])\.net(?![a-z0-9])/g, 'dotnet')
}

/** The words of a name: runs of letters and digits, split between Chinese and other scripts. */
export const nameWords = (text: string): string[] => plainName(text).match(runs) ?? []

/** The joined words of a name, so that `Next.js`, `next-js` and `NextJS` are equal. */
export const squash = (text: string): string => nameWords(text).join('')

export const isAffix = (word: string): boolean => affixes.has(word)

/** The joined words of a name without leading and trailing affixes. Undefined if there are none. */
export function withoutAffixes(words: string[]): string | undefined {
  let from = 0
  let to = words.length
  while (to - from > 1 && isAffix(words[to - 1] ?? '')) to--
  while (to - from > 1 && isAffix(words[from] ?? '')) from++
  const whole = words.join('')
  const bare = withoutEnding(words.slice(from, to).join(''))
  return bare === whole ? undefined : bare
}

/** `tf2` → `tf`. Undefined if there are no digits, or fewer than two letters would remain. */
export function withoutTrailingDigits(squashed: string): string | undefined {
  const bare = squashed.replace(/\d{1,6}$/, '')
  return bare === squashed || bare.length < 2 ? undefined : bare
}

/** The name before the version: `next.js 15`, `react@18.2`, `django v5 lts`. Undefined without a version. */
export function withoutVersion(text: string): string | undefined {
  const parts = text.split(/[\s@]+/)
  let to = parts.length
  while (to > 1 && isVersionWord(parts[to - 1] ?? '')) to--
  const rest = parts.slice(0, to)
  return to === parts.length || rest.join('') === '' ? undefined : `${text.startsWith('@') ? '@' : ''}${rest.join(' ').trim()}`
}

function withoutMarks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII, which has no marks
  return /^[\x00-\x7f]*$/.test(text) ? text : text.normalize('NFKD').replace(marks, '').normalize('NFC')
}

const isVersionWord = (word: string): boolean => version.test(word) || word === 'latest' || word === 'lts' || word === ''

function withoutEnding(squashed: string): string {
  const ending = endings.find((each) => squashed.endsWith(each) && squashed.length >= each.length + 2)
  return ending === undefined ? squashed : squashed.slice(0, -ending.length)
}
