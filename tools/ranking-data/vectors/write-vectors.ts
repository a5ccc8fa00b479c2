import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WordVectors } from './word-vectors.ts'

/** Writes model.json with the words and what else `model` has, vectors.i8 and weights.f32. */
export function writeVectors(
  out: string,
  model: { words: string[]; chunks?: number[]; totalChunks?: number },
  { bytes, factors, dimensions }: WordVectors,
): void {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'model.json'), JSON.stringify({ ...model, dimensions }))
  writeFileSync(join(out, 'vectors.i8'), bytes)
  // Search has a factor for the words of questions and one for those of sections.
  writeFileSync(join(out, 'weights.f32'), Float32Array.from([...factors].flatMap((each) => [each, each])))
}
