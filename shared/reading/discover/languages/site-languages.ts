import { canonicalLanguage, languageOfName } from '../../../text/language-codes.ts'
import { readScript, type Script } from '../../../text/read-script.ts'

/** The languages that the configuration of a documentation site names, for the folders below `folder`. */
export type SiteLanguages = { folder: string; codes: string[]; main?: string | undefined }

type Names = { codes?: (string | undefined)[]; main?: string | undefined }
type Reader = (text: string) => Names | Promise<Names>

const tag = `["']?([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,4}){0,2})["']?`

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
]

/** Bounds the time of reading one. */
const maxChars = 256 * 1024

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
  tokens.forEach(({ type, value }, at) => {
    if (type !== 'name' || !/[:=]/.test(tokens[at + 1]?.value || tokens[at + 1]?.type || '')) return
    const next = tokens[at + 2]
    if (value === 'defaultLocale' && next?.type === 'string' && next.value !== 'root') main ??= next.value
    if (value !== 'locales') return
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

const all = (text: string, pattern: string): (string | undefined)[] =>
  [...text.matchAll(new RegExp(pattern, 'gm'))].map(([, code]) => code)
const first = (text: string, pattern: string): string | undefined => new RegExp(pattern, 'm').exec(text)?.[1]

/** The `i18n` plugin, which lists `locale: en` with `default: true`, or `default_language: en`. */
function readMkdocs(text: string): Names {
  const codes = all(text, String.raw`^[ \t]{1,20}-[ \t]{1,4}locale:[ \t]{1,4}${tag}`)
  if (!/^[ \t]*-[ \t]+i18n\b/m.test(text)) return {}
  const main =
    first(text, String.raw`^[ \t]+default_language:[ \t]{1,4}${tag}`) ??
    text
      .split(/^(?=[ \t]*-[ \t]+locale:)/m)
      .flatMap((item) => (/^[ \t]+default:[ \t]+true/m.test(item) ? [first(item, String.raw`locale:[ \t]{1,4}${tag}`)] : []))[0]
  return { codes, main }
}

function readHugo(text: string): Names {
  const codes = all(text, String.raw`^[ \t]{0,20}\[languages\.${tag}\][ \t]*$`)
  return {
    codes: [...codes, ...keysBelow(text, 'languages')],
    main: first(text, String.raw`^defaultContentLanguage[ \t]*[:=][ \t]*${tag}`),
  }
}

function readHugoLanguages(text: string): Names {
  return { codes: [...all(text, String.raw`^\[${tag}\][ \t]*$`), ...all(text, String.raw`^${tag}:[ \t]*$`)] }
}

/** Hexo lists `language`, the first being the main one; Jekyll plugins have `languages` and `default_lang`. */
function readStatic(text: string): Names {
  const listed = /^languages?:[ \t]*(?:\[([^\]\n]{0,500})\]|((?:\n[ \t]*-[ \t]+\S{1,20}){1,100}))/m.exec(text)
  const codes = all(listed?.[1] ?? listed?.[2] ?? '', String.raw`(?:^|[\s,\[-])${tag}(?=[\s,\]]|$)`)
  const main = first(text, String.raw`^(?:default_lang|language):[ \t]*${tag}[ \t]*$`) ?? codes[0]
  return { codes, main }
}

/** A source such as `/docs/en/**` names the main language. Translations are recognised by their paths. */
function readCrowdin(text: string): Names {
  const name = first(text, String.raw`^[ \t]*-?[ \t]*["']?source["']?:[ \t]*["']?\S{0,200}?/([a-z]{2}(?:-[A-Z]{2})?)/`)
  return { main: name && languageOfName(name)?.code }
}

/** The keys of a mapping in YAML. */
function keysBelow(text: string, name: string): (string | undefined)[] {
  const [, block = '', indent = ''] =
    new RegExp(String.raw`^${name}:[ \t]*\n((?:[ \t]*\n)*([ \t]+)\S[^\n]*(?:\n(?:[ \t][^\n]*)?)*)`, 'm').exec(text) ?? []
  return indent === '' ? [] : all(block, `^${indent}${tag}:`)
}
