import { isUtf8 } from 'node:buffer'

/**
 * The text of a file, without its byte order mark: UTF-8, or UTF-16 by its mark or by its evident pattern of zero bytes.
 * A few broken bytes become U+FFFD; what is not text comes back as a reason.
 */
export function decodeText(bytes: Buffer): string | { reason: string } {
  const utf16 = utf16Label(bytes)
  if (utf16 !== undefined) return textOf(bytes, utf16)
  if (bytes.subarray(0, sampleBytes).includes(0)) return { reason: 'binary' }
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : textOf(bytes, 'utf-8')
}

const sampleBytes = 8_000
const brokenShare = 0.05

function textOf(bytes: Buffer, label: string): string | { reason: string } {
  const text = new TextDecoder(label).decode(bytes)
  if (label !== 'utf-8' && text.slice(0, sampleBytes).includes('\0')) return { reason: 'binary' }
  let broken = 0
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) broken += 1
  return broken <= text.length * brokenShare ? text : { reason: 'neither UTF-8 nor UTF-16' }
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
