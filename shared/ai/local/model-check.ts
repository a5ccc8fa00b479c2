import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { type CatalogueModel, catalogue } from './catalogue.ts'
import type { ModelFolder } from './model-folder.ts'

/** `verified`: the files are those of the catalogue. `whole`: they can be those of a model. */
export type ModelCheck = { state: 'verified' | 'whole' } | { state: 'broken'; reason: string }

/** Returns a function that checks the files of a folder without loading them as a model. Files that have not changed are read once. */
export function modelChecks(models: readonly CatalogueModel[] = catalogue): (folder: ModelFolder) => ModelCheck {
  const checks = new Map<string, { files: string; check: ModelCheck }>()
  return (folder) => {
    const { weights, tokenizer } = folder.files
    const files = [weights, tokenizer].map(stateOf).join('\n')
    const last = checks.get(weights)
    if (last?.files === files) return last.check
    const check = checkFiles(folder, models)
    checks.set(weights, { files, check })
    return check
  }
}

function checkFiles({ name, files: { weights, tokenizer } }: ModelFolder, models: readonly CatalogueModel[]): ModelCheck {
  const known = models.find((model) => model.name === name)?.files ?? []
  const inFolder = known.map((file) => ({ ...file, path: [weights, tokenizer].find((path) => endsWithPath(path, file.path)) }))
  const areAll = inFolder.length > 0 && inFolder.every(({ path }) => path !== undefined)
  if (areAll && inFolder.every(({ path = '', sha256 }) => hashOf(path) === sha256)) return { state: 'verified' }
  if (areAll) return { state: 'broken', reason: 'its files are not those of the catalogue; add the model again' }
  if (!isWholeOnnx(weights)) return { state: 'broken', reason: `${weights} is no complete ONNX file; copy it again` }
  if (!isTokenizer(tokenizer)) return { state: 'broken', reason: `${tokenizer} is no tokenizer; copy it again` }
  return { state: 'whole' }
}

const endsWithPath = (path: string, end: string): boolean => path.replaceAll('\\', '/').endsWith(`/${end}`)

function stateOf(path: string): string {
  const { size, mtimeMs, ino } = statSync(path)
  return `${path} ${size} ${mtimeMs} ${ino}`
}

const chunkBytes = 1024 * 1024

function hashOf(path: string): string {
  const hash = createHash('sha256')
  withFile(path, (read) => {
    for (let at = 0, chunk = read(0, chunkBytes); chunk.length > 0; chunk = read(at, chunkBytes)) {
      hash.update(chunk)
      at += chunk.length
    }
  })
  return hash.digest('hex')
}

const graphField = 7
const maxFields = 10_000
/** A tag and a length, or a tag and a number. */
const headBytes = 20

/** True if the file is a message of fields to its end, one of which is the graph of a model (onnx.proto3). A part of a file is none. */
function isWholeOnnx(path: string): boolean {
  return withFile(path, (read, size) => {
    let hasGraph = false
    let at = 0
    for (let fields = 0; at < size && fields < maxFields; fields++) {
      const head = read(at, headBytes)
      const tag = readVarint(head, 0)
      const second = tag && readVarint(head, tag.end)
      if (!tag || !second) return false
      const wireType = tag.value % 8
      if (wireType === 0) at += second.end
      else if (wireType === 2) at += second.end + second.value
      else return false
      hasGraph ||= Math.floor(tag.value / 8) === graphField
    }
    return hasGraph && at === size
  })
}

function readVarint(bytes: Buffer, from: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = from; at < Math.min(bytes.length, from + 8); at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (at - from))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return undefined
}

function isTokenizer(path: string): boolean {
  try {
    const { model } = JSON.parse(readFileSync(path, 'utf8')) as { model?: { vocab?: unknown } }
    return typeof model?.vocab === 'object' && model.vocab !== null
  } catch {
    return false
  }
}

function withFile<Result>(path: string, use: (read: (at: number, bytes: number) => Buffer, size: number) => Result): Result {
  const file = openSync(path, 'r')
  try {
    const read = (at: number, bytes: number) => {
      const buffer = Buffer.alloc(bytes)
      return buffer.subarray(0, readSync(file, buffer, 0, bytes, at))
    }
    return use(read, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}
