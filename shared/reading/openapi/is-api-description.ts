import { type FileHandle, open } from 'node:fs/promises'

/** Gets a file piece by piece and returns whether it describes an API as soon as that is known. */
type Scan = (piece: string) => boolean | undefined

/** The largest API description of a source. */
export const maxDescriptionBytes = 10 * 2 ** 20
const pieceBytes = 65_536
const names = ['openapi', 'swagger', 'asyncapi']
const version = /^[23]\.[0-9]/
const byteOrderMark = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/
const inYaml = /^["']?(?:openapi|swagger|asyncapi)["']?[ \t]{0,20}:[ \t]{0,20}["']?[23]\.[0-9]/
/** The length of a line that is enough for its key. */
const lineChars = 200

/**
 * True if a JSON or YAML file declares OpenAPI 3, Swagger 2, or AsyncAPI 2 or 3; of several YAML documents, the first. The key may be anywhere,
 * since tools sort keys. Reads piece by piece, so that other work continues. Most files are only searched for the key.
 * `name` tells JSON from YAML.
 */
export async function isApiDescription(file: string, sizeBytes: number, name = file): Promise<boolean> {
  const handle = await open(file)
  try {
    if (!(await mentionsName(handle, sizeBytes))) return false
    const scan = name.toLowerCase().endsWith('.json') ? scanJson() : scanYaml()
    let isFirst = true
    for await (const piece of piecesOf(handle, sizeBytes)) {
      const text = piece.toString('latin1')
      const answer = scan(isFirst ? text.replace(byteOrderMark, '') : text)
      if (answer !== undefined) return answer
      isFirst = false
    }
    return scan('\n') === true
  } finally {
    await handle.close()
  }
}

async function mentionsName(handle: FileHandle, sizeBytes: number): Promise<boolean> {
  let end = ''
  for await (const piece of piecesOf(handle, sizeBytes)) {
    const seam = end + piece.toString('latin1', 0, 10)
    if (names.some((name) => piece.includes(name) || seam.includes(name))) return true
    end = (end + piece.subarray(-10).toString('latin1')).slice(-10)
  }
  return false
}

/** Drops zero bytes: the relevant part of UTF-16 is ASCII with a zero byte before or after each character. */
async function* piecesOf(handle: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(sizeBytes, pieceBytes))
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    const piece = buffer.subarray(0, bytesRead)
    yield piece.includes(0) ? Buffer.from(piece.filter((byte) => byte !== 0)) : piece
  }
}

/** Tracks only braces and strings, to find the keys of the outermost object. */
function scanJson(): Scan {
  let depth = 0
  let quote = ''
  let escaped = false
  let text = ''
  let key = ''
  const endString = (): boolean | undefined => (names.includes(key) ? version.test(text) : undefined)
  return (piece) => {
    for (const char of piece) {
      if (quote !== '') {
        if (escaped) escaped = false
        else if (char === '\\') escaped = true
        else if (char === quote) {
          quote = ''
          const answer = depth === 1 ? endString() : undefined
          if (answer !== undefined) return answer
        } else if (depth === 1 && text.length < lineChars) text += char
      } else if (char === '"' || char === "'") {
        quote = char
        text = ''
      } else if (char === '{' || char === '[') {
        if (depth === 0 && char === '[') return false
        depth += 1
      } else if (char === '}' || char === ']') {
        depth -= 1
        if (depth <= 0) return false
      } else if (depth === 1 && char === ':') key = text
      else if (depth === 1 && char === ',') key = ''
    }
    return undefined
  }
}

/** Keys of the outermost mapping are at line starts. A first document in braces is scanned as JSON. */
function scanYaml(): Scan {
  let json: Scan | undefined
  let hasBegun = false
  let rest = ''
  const readLine = (line: string): boolean | undefined => {
    if (/^---(?=\s|$)/.test(line)) return hasBegun ? false : readLine(line.slice(3).trimStart())
    if (/^\s*(?:[#%]|$)/.test(line)) return undefined
    if (!hasBegun && /^\s*(?:\[|- )/.test(line)) return false
    hasBegun = true
    return inYaml.test(line) || undefined
  }
  return (piece) => {
    if (json) return json(piece)
    const lines = (rest + piece).split('\n')
    const opening = hasBegun ? -1 : lines.findIndex((line) => !/^(?:---(?=\s))?\s*(?:#|%|---\s*$|$)/.test(line))
    if (/^(?:---)?\s*\{/.test(lines[opening] ?? '')) {
      json = scanJson()
      return json(lines.slice(opening).join('\n').replace(/^---/, ''))
    }
    rest = (lines.pop() ?? '').slice(0, lineChars)
    for (const line of lines) {
      const answer = readLine(line)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}
