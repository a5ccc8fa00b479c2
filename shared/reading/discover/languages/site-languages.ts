import { canonicalLanguage, languageOfName } from '../../../text/language-codes.ts'
import { readScript, type Script } from '../../../text/read-script.ts'

/** The languages that the configuration of a documentation site names, for the folders below `folder`. */
export type SiteLanguages = { folder: string; codes: string[]; main?: string | undefined }

type Names = { codes?: (string | undefined)[]; main?: string | undefined }
type Reader = (text: string) => Names | Promise<Names>

/** Configurations by the end of their path. The part before it is the folder of the site. */
const readers: [end: RegExp, read: Reader][] = [
  [/(?:^|\/)docusaurus\.config\.[cm]?[jt]s$/, readProgram],
  [/(?:^|\/)\.(?:vitepress|vuepress)\/config(?:\/index)?\.m?[jt]s$/, readProgram],
  [/(?:^|\/)(?:astro|rspress|next)\.config\.[cm]?[jt]s$/, readProgram],
  [/(?:^|\/)mkdocs\.ya?ml$/, readMkdocs],
  [/(?:^|\/)(?:config\/_default\/)?(?:hugo|config)\.(?:toml|ya?ml)$/, readHugo],
  [/(?:^|\/)config\/_default\/languages\.(?:toml|ya?ml)$/, readHugoLanguages],
  [/(?:^|\/)_config\.ya?ml$/, readStatic],
  [/(?:^|\/)crowdin\.ya?ml$/, readCrowdin],
  [/(?:^|\/)LANGS\.md$/, readGitbook],
]

/** Bounds the time of reading one. */
const maxChars = 256 * 1024
/** Objects that are read in one program, which may be nested. */
const maxLocales = 20

const readerOf = (path: string) => readers.find(([end]) => end.test(path))

export const isSiteConfig = (path: string): boolean => readerOf(path) !== undefined

/** Reads a configuration as text and never runs it. Undefined if it names no language. */
export async function siteLanguages(path: string, text: string): Promise<SiteLanguages | undefined> {
  const [end, read] = readerOf(path) ?? []
  if (!end || !read || text.length > maxChars) return undefined
  const { codes = [], main } = await read(text)
  const known = [main, ...codes].flatMap((each) => tagOf(each) ?? [])
  if (known.length === 0) return undefined
  return { folder: path.replace(end, ''), codes: [...new Set(known)], main: tagOf(main) }
}

const tagOf = (code = ''): string | undefined => (/^[a-z]{2,3}(?:[-_]|$)/i.test(code) ? canonicalLanguage(code) : undefined)

/** `locales: { root: { lang: 'en' }, de: {} }`, `locales: ['en', 'de']`, `'/zh/': {}` and `defaultLocale: 'en'`, wherever they are in the program. */
async function readProgram(source: string): Promise<Names> {
  const script = await readScript(source)
  const { tokens } = script
  const codes: string[] = []
  let main: string | undefined
  let left = maxLocales
  tokens.forEach(({ type, value }, at) => {
    if (type !== 'name' || !/[:=]/.test(tokens[at + 1]?.value || tokens[at + 1]?.type || '')) return
    const next = tokens[at + 2]
    if (value === 'defaultLocale' && next?.type === 'string' && next.value !== 'root') main ??= next.value
    if (value !== 'locales' || --left < 0) return
    if (next?.type === '[') codes.push(...textsIn(script, at + 2))
    if (next?.type !== '{') return
    for (const { key, lang } of localesIn(script, at + 2)) {
      if (key === 'root' || key === '/') main ??= lang
      else codes.push(key.replaceAll('/', ''))
    }
  })
  return { codes, main }
}

function textsIn({ tokens, closing }: Script, open: number): string[] {
  const inside = tokens.slice(open + 1, closing.get(open))
  return inside.flatMap(({ type, value }) => (type === 'string' ? [value] : []))
}

/** The keys of an object, each with the `lang` of its value. */
function localesIn({ tokens, closing }: Script, open: number): { key: string; lang: string | undefined }[] {
  const locales: { key: string; lang: string | undefined }[] = []
  const close = closing.get(open) ?? tokens.length
  for (let at = open + 1; at < close; at++) {
    const token = tokens[at]
    if (closing.has(at)) at = closing.get(at) ?? at
    else if ((token?.type === 'name' || token?.type === 'string') && tokens[at + 1]?.type === ':') {
      const inside = tokens.slice(at + 2, closing.get(at + 2))
      const lang = inside.findIndex(({ type, value }) => type === 'name' && value === 'lang')
      locales.push({ key: token.value, lang: lang < 0 ? undefined : inside[lang + 2]?.value })
    }
  }
  return locales
}

/** A line of YAML or TOML: `key: value`, `key = value`, `- value` or `[header]`. */
type Line = { indent: number; isItem: boolean; key: string; value: string; header: string }

function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((line): Line[] => {
    const whole = line.trim()
    if (whole === '' || whole.startsWith('#') || whole.length > maxLine) return []
    const isItem = whole.startsWith('- ')
    const rest = isItem ? whole.slice(2).trim() : whole
    const at = rest.search(/[:=]/)
    const [key, value] = at < 0 ? ['', rest] : [rest.slice(0, at), rest.slice(at + 1)]
    const header = whole.startsWith('[') && whole.endsWith(']') ? whole.slice(1, -1) : ''
    return [{ indent: line.length - line.trimStart().length, isItem, key: unquoted(key), value: unquoted(value), header }]
  })
}

const maxLine = 500
const unquoted = (text: string): string => text.trim().replace(/^["']|["']$/g, '')
const textOf = (lines: Line[], key: string): string | undefined => lines.find((line) => line.key === key)?.value

/** The lines below a key, which are indented or items of its list. */
function below(lines: Line[], key: string): Line[] {
  const at = lines.findIndex((line) => line.key === key && line.value === '')
  const { indent = 0 } = lines[at] ?? {}
  const rest = at < 0 ? [] : lines.slice(at + 1)
  const end = rest.findIndex((line) => line.indent < indent || (line.indent === indent && !line.isItem))
  return end < 0 ? rest : rest.slice(0, end)
}

/** The `i18n` plugin, which lists `locale: en` with `default: true`, or has `default_language: en`. */
function readMkdocs(text: string): Names {
  const lines = linesOf(text)
  if (!lines.some(({ isItem, key }) => isItem && key === 'i18n')) return {}
  const locales = lines.flatMap((line, at) => (line.isItem && line.key === 'locale' ? [{ code: line.value, at }] : []))
  const marked = lines.findIndex(({ key, value }) => key === 'default' && value === 'true')
  const main = locales.findLast(({ at }) => at < marked)
  return { codes: locales.map(({ code }) => code), main: textOf(lines, 'default_language') ?? main?.code }
}

function readHugo(text: string): Names {
  const lines = linesOf(text)
  const tables = lines.flatMap(({ header }) => (header.startsWith('languages.') ? [header.slice('languages.'.length)] : []))
  const keys = below(lines, 'languages')
  const codes = keys.filter(({ indent, value }) => indent === keys[0]?.indent && value === '').map(({ key }) => key)
  return { codes: [...tables, ...codes], main: textOf(lines, 'defaultContentLanguage') }
}

function readHugoLanguages(text: string): Names {
  return { codes: linesOf(text).flatMap(({ header, indent, key, value }) => (indent === 0 && value === '' ? [key] : [header])) }
}

/** Hexo lists `language`, the first being the main one; Jekyll plugins have `languages` and `default_lang`. */
function readStatic(text: string): Names {
  const lines = linesOf(text).filter(({ indent, isItem }) => indent === 0 || isItem)
  const values = ['language', 'languages'].flatMap((key) => [
    ...(textOf(lines, key) ?? '').replace(/^\[|\]$/g, '').split(','),
    ...below(lines, key).map(({ value }) => value),
  ])
  const codes = values.map(unquoted).filter((code) => code !== '')
  return { codes, main: textOf(lines, 'default_lang') ?? codes[0] }
}

/** `* [English](en/)`, the main language first. */
function readGitbook(text: string): Names {
  const codes = text
    .split('\n')
    .flatMap((line) => /^[*+-] \[[^\][]{1,200}\]\(\.?\/?([\w-]{1,40})\/?\)/.exec(line.trim())?.[1] ?? [])
  return { codes, main: codes[0] }
}

/** A source such as `/docs/en/**` names the main language. Translations are recognised by their paths. */
function readCrowdin(text: string): Names {
  const sources = linesOf(text).filter(({ key }) => key === 'source')
  const names = sources.flatMap(({ value }) =>
    value
      .split('/')
      .slice(0, -1)
      .flatMap((name) => languageOfName(name) ?? []),
  )
  return { main: names.find(({ isClear }) => isClear)?.code }
}
