import { AppError } from '../../shared/errors.ts'
import { isOutOfMemory, startThread } from '../../shared/system/start-thread.ts'
import type { ParsedYaml } from './yaml-worker.ts'

export const maxManifestBytes = 128 * 1024
const maxMs = 10_000
const maxDepth = 100
const limits = { heapMb: 256 }
const script = new URL('./yaml-worker.ts', import.meta.url)

/** Parses YAML in a thread, because a file of strangers can take the parser minutes or gigabytes. Throws payload_too_large, validation_error. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  if (Buffer.byteLength(text) > maxManifestBytes)
    throw new AppError('payload_too_large', `The file is larger than ${maxManifestBytes / 1024} KB. Nothing was changed.`)
  const deep = deepLine(text)
  if (deep !== undefined) return { problems: [{ line: deep, path: '', message: `nests more than ${maxDepth} levels` }] }
  const { promise, resolve, reject } = Promise.withResolvers<ParsedYaml>()
  const thread = startThread(script, { data: text, limits })
  const timer = setTimeout(() => reject(tooSlow()), maxMs)
  thread.on('message', resolve)
  thread.on('error', (error) => reject(isOutOfMemory(error) || error instanceof RangeError ? tooSlow(error) : error))
  thread.on('exit', () => reject(new Error('the thread that parses YAML ended without a result')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

/** The line whose nesting would overflow the stack of the parser and end the process. */
function deepLine(text: string): number | undefined {
  let depth = 0
  for (const [at, line] of text.split('\n').entries()) {
    // Each of these begins a level.
    let levels = line.search(/[^ ]|$/)
    for (const char of line) {
      if (char === '[' || char === '{') depth += 1
      else if ((char === ']' || char === '}') && depth > 0) depth -= 1
      else if (char === '-' || char === '?' || char === ':') levels += 1
      else if (char !== ' ') levels = 0
      if (depth > maxDepth || levels > maxDepth) return at + 1
    }
  }
  return undefined
}

const tooSlow = (cause?: unknown): AppError =>
  new AppError('validation_error', 'The file takes too long or too much memory to read. Nothing was changed.', { cause })
