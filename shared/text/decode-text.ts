/** Text in UTF-8, or in UTF-16 with a byte order mark, which PowerShell writes. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}
