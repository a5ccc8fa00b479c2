import { isUtf8 } from 'node:buffer'

/**
 * Decodes a file without its byte order mark: UTF-8, UTF-16 (by its mark or its pattern of zero bytes), or text that looks like Windows-1252. A
 * few broken bytes become U+FFFD. Returns a reason if the file is not text. Never throws.
 */
export function decodeText(bytes: Buffer): string | { reason: string } {
  const utf16 = utf16Label(bytes)
  if (utf16 !== undefined) return readUtf16(bytes, utf16)
  if (bytes.subarray(0, sampleBytes).includes(0)) return binary
  const text = new TextDecoder().decode(bytes)
  if (isUtf8(bytes)) return text
  return isWestern(bytes) ? new TextDecoder('windows-1252').decode(bytes) : unlessBroken(text)
}

/** Same rule as git, so hosts and diffs treat the same files as binary. */
const sampleBytes = 8_000
const brokenShare = 0.05
const binary = { reason: `binary data: a zero byte is among its first ${sampleBytes}` }
const unknown = { reason: 'not text in UTF-8, UTF-16 or Windows-1252' }

function readUtf16(bytes: Buffer, label: string): string | { reason: string } {
  const text = new TextDecoder(label).decode(bytes)
  return text.slice(0, sampleBytes).includes('\0') ? binary : unlessBroken(text)
}

function unlessBroken(text: string): string | { reason: string } {
  let broken = 0
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) broken += 1
  return broken <= text.length * brokenShare ? text : unknown
}

const accentShare = 0.3
const meanRun = 1.5
/** Codes that Windows-1252 does not define. */
const openCodes = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/**
 * Accented letters are mostly single high bytes among ASCII letters. UTF-8 has at least two high bytes per character, other scripts have whole
 * words of them, and binary data has control codes.
 */
function isWestern(bytes: Buffer): boolean {
  let high = 0
  let runs = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (openCodes.has(byte) || (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b)) return false
    if (byte < 0x80) continue
    high += 1
    if ((bytes[at - 1] ?? 0) < 0x80) runs += 1
  }
  return high <= bytes.length * accentShare && high < runs * meanRun
}

function utf16Label(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const pairs = Math.floor(Math.min(bytes.length, sampleBytes) / 2)
  const zeros = [0, 0]
  for (let at = 0; at < pairs * 2; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [first = 0, second = 0] = zeros
  if (second > pairs * 0.4 && first < pairs * 0.05) return 'utf-16le'
  if (first > pairs * 0.4 && second < pairs * 0.05) return 'utf-16be'
  return undefined
}
