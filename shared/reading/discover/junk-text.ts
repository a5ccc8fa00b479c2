import { open } from 'node:fs/promises'
import { decodeText } from './decode-text.ts'

/** The start of a file that is enough to recognise it. */
const sampleBytes = 65_536

const mayBeJunk = /\.(?:html?|txt|asc)$/i
const mayBeData = /\.(?:txt|asc)$/i
const alwaysText = /(?:^|\/)(?:readme|install|llms)[^/]{0,60}\.txt$/i

/** The reason why a file with the extension of a document holds no text for readers: it is a template or data. */
export async function whyNoText(path: string): Promise<string | undefined> {
  if (!mayBeJunk.test(path)) return undefined
  const text = await startOf(path)
  if (text === undefined) return undefined
  if (isTemplate(text)) return 'a template'
  return mayBeData.test(path) && !alwaysText.test(path) && isData(text) ? 'data' : undefined
}

async function startOf(path: string): Promise<string | undefined> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0)
    // The last line may be cut within a character.
    const end = bytesRead < sampleBytes ? bytesRead : buffer.lastIndexOf(0x0a, bytesRead - 1) + 1 || bytesRead
    const text = decodeText(buffer.subarray(0, end))
    return typeof text === 'string' ? text : undefined
  } finally {
    await handle.close()
  }
}

/** Statements of Jinja, Django, Go, Handlebars, EJS and PHP that only a template has. */
const statement =
  /\{%-?\s{0,9}(?:extends|block|macro|import|load)\s|\{\{-?\s{0,9}(?:define|block|template|range|with|partial|end)\b|\{\{~?[#>^/]|<%[-=_@#]?|<\?(?:php|=)/
/** An expression or statement, or an attribute that Vue, Angular or Alpine evaluates. */
const placeholder = /\{\{|\{%|\s(?:v-|x-|ng-|\*ng|@|:)[\w.:-]{1,60}=["']/g
const minWordsPerPlaceholder = 10

/** True if most of the text comes from elsewhere. Text in code is about templates. */
function isTemplate(text: string): boolean {
  const shown = withoutCode(text)
  if (statement.test(shown)) return true
  const placeholders = shown.match(placeholder)?.length ?? 0
  if (placeholders === 0) return false
  const words = shown.replace(/<[^<>]*>|\{[{%][^{}]*\}/g, ' ').match(/\p{L}{2,60}/gu)?.length ?? 0
  return words < placeholders * minWordsPerPlaceholder
}

function withoutCode(html: string): string {
  const lower = html.toLowerCase()
  let shown = ''
  let at = 0
  for (const { index, 1: name } of lower.matchAll(/<(pre|code|script|style|textarea|!--)/g)) {
    if (index < at) continue
    shown += html.slice(at, index)
    const close = name === '!--' ? '-->' : `</${name}`
    const end = lower.indexOf(close, index)
    if (end < 0) return shown
    at = end + close.length
  }
  return shown + html.slice(at)
}

const maxLines = 1_000
const minLines = 5
/** Less prose is a comment on data. */
const proseShare = 0.1
const tableShare = 0.8

/** True for tables, lists of words, figures, keys and output: text without sentences. */
function isData(text: string): boolean {
  if (!/\p{L}/u.test(text) || text.startsWith('-----BEGIN ')) return text.trim() !== ''
  if (/^\s{0,9}#{1,3} \S/.test(text) && /^[-*] {1,4}\[/m.test(text)) return false
  const lines = text
    .split('\n', maxLines)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:#|\/\/|;)/.test(line))
  if (lines.length > 0 && lines.every((line) => pin.test(line))) return true
  if (lines.length < minLines) return false
  const inTables = Math.max(...['\t', ';', '|', ','].map((mark) => lines.filter((line) => isRow(line, mark)).length))
  return inTables >= lines.length * tableShare || lines.filter(isProse).length < lines.length * proseShare
}

/** A line of a requirements file. */
const pin = /^[\w.-]{1,100}(?:\[[\w, -]{1,100}\])? {0,9}(?:[=<>~!]=|[<>] {0,9}\d|@ )/

const isRow = (line: string, mark: string): boolean =>
  line.split(mark, 4).length > 2 && !line.includes(`${mark} `) && !line.startsWith('|')

const word = /^["'‘“(*_`]{0,4}\p{L}[\p{L}\p{M}'’-]{0,60}[.,:;!?)"'’”*_`]{0,4}$/u
const minProseWords = 4

function isProse(line: string): boolean {
  const parts = line.slice(0, 1_000).split(/\s+/)
  const words = parts.filter((part) => word.test(part)).length
  if (words >= minProseWords && words * 2 >= parts.length) return true
  return (line.match(/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/gu)?.length ?? 0) >= 8
}
