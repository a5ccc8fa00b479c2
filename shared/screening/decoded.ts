/** A text as it reads after it was decoded, and how it was encoded. */
export type Decoded = { text: string; how: string }

const base64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g
const hex = /(?:\\x|0x|%)?[0-9a-f]{2}(?:[\s,:]{0,2}(?:\\x|0x|%)?[0-9a-f]{2}){11,}/gi
const codes = /(?:\b\d{2,3}[\s,]{1,2}){12,}\d{2,3}\b/g
const binary = /(?:[01]{8}\s?){8,}/g
const escapes = /(?:\\u\{?[0-9a-f]{2,6}\}?|&#x?[0-9a-f]{2,6};){6,}/gi
const percent = /\w{0,20}(?:%[0-9a-f]{2}[\w.-]{0,20}){5,}/gi
const spaced = /(?<![A-Za-z])(?:[A-Za-z][ ._-]{1,3}){7,}[A-Za-z](?![A-Za-z])/g

const maxPayloads = 20
const maxChars = 20_000

/** The readings of a text after decoding. Each encoding is tried only if the text has what it leaves behind. */
export function decodedTexts(text: string): Decoded[] {
  const found: Decoded[] = []
  const add = (how: string, pattern: RegExp, decode: (match: string) => string) => {
    let payloads = 0
    for (const [match] of text.matchAll(pattern)) {
      if (++payloads > maxPayloads) return
      const decoded = decode(match.slice(0, maxChars))
      if (isReadable(decoded)) found.push({ text: decoded, how })
    }
  }
  add('base64', base64, fromBase64)
  add('hexadecimal', hex, (match) => Buffer.from(match.replace(/\\x|0x|[^0-9a-f]/gi, ''), 'hex').toString('latin1'))
  add('character codes', codes, (match) => String.fromCharCode(...(match.match(/\d+/g) ?? []).map(Number)))
  add('binary', binary, (match) =>
    String.fromCharCode(...(match.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))),
  )
  if (text.includes('\\u') || text.includes('&#')) add('escapes', escapes, fromEscapes)
  if (text.includes('%20') || text.includes('%69') || text.includes('%49')) add('percent encoding', percent, fromPercent)
  add('spaced letters', spaced, (match) => match.replace(/(?<=\S)[ ._-](?=\S)/g, ''))
  if (rotated.test(text)) found.push({ text: text.replace(/[a-z]/gi, rotate13), how: 'ROT13' })
  if (reversed.test(text)) found.push({ text: [...text].reverse().join(''), how: 'reversed text' })
  if (digits.test(text))
    found.push({ text: text.replace(/[013457@$!|]/g, (sign) => letterOf[sign] ?? sign), how: 'digits for letters' })
  const folded = foldLetters(text)
  if (folded !== undefined) found.push({ text: folded, how: 'letters of other alphabets' })
  return found
}

const rotated = /\b(?:vtaber|qvfertneq|cerivbhf|vafgehpgvbaf?|flfgrz cebzcg|nffvfgnag|sbetrg)\b/i
const reversed = /\b(?:snoitcurtsni|noitcurtsni|erongi|suoiverp|tpmorp|dragersid|tnatsissa)\b/i
const digits = /1gn[o0]r|ign0r|pr[e3]v[1i]0u|pr3v|1nstruct|in5truct|instruct10n|[i1]n[s5]truct1|pr0mpt|syst3m|d1sreg|f0rg[e3]t/i
const letterOf: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
}

function rotate13(letter: string): string {
  const code = letter.charCodeAt(0)
  const first = code < 97 ? 65 : 97
  return String.fromCharCode(((code - first + 13) % 26) + first)
}

function fromBase64(match: string): string {
  return Buffer.from(match.replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString('utf8')
}

function fromEscapes(match: string): string {
  return match.replace(/\\u\{?([0-9a-f]{2,6})\}?|&#x([0-9a-f]{2,6});|&#(\d{2,6});/gi, (_, unicode, entity, decimal) =>
    codePoint(unicode || entity ? Number.parseInt(unicode ?? entity, 16) : Number(decimal)),
  )
}

function fromPercent(match: string): string {
  try {
    return decodeURIComponent(match)
  } catch {
    return ''
  }
}

const codePoint = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '')

/** Letters of Cyrillic and Greek that look like Latin ones. Other look-alikes are compatibility forms, which Unicode maps itself. */
const lookalikes: Record<string, string> = Object.fromEntries(
  [...'аеорсухіѕјԛԝһӏгвмнткАЕОРСУХІЅЈВМНТКοαεικρτυνωΟΑΕΙΚΡΤΥΝ'].map((letter, i) => [
    letter,
    [...'aeopcyxisjqwhlrbmhtkAEOPCYXISJBMHTKoaeikptuvwOAEIKPTYN'][i] as string,
  ]),
)

/** Letters of mathematics, full width and circles, and words that mix alphabets. Undefined if there are none. */
const foreign =
  /[\u{1d400}-\u{1d7ff}\uff21-\uff5a\u24b6-\u24e9]{3}|[a-z][\u0391-\u03c9\u0405-\u045b]|[\u0391-\u03c9\u0405-\u045b][a-z]/iu

/** A word in Russian or Greek stays as it is. */
function foldLetters(text: string): string | undefined {
  if (/^[\t\n -~]*$/.test(text) || !foreign.test(text)) return undefined
  return text
    .normalize('NFKC')
    .replace(/[\p{L}\p{M}]{2,40}/gu, (word) =>
      /[a-z]/i.test(word) ? word.replace(/[\u0370-\u052f]/g, (letter) => lookalikes[letter] ?? letter) : word,
    )
}

/** Decoded bytes that are text: few other characters than letters, digits, spaces and punctuation. */
function isReadable(text: string): boolean {
  if (text.length < 8) return false
  let readable = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if ((code >= 32 && code < 127) || code === 10 || code === 9) readable++
  }
  return readable / text.length > 0.95
}
