import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blendVectors } from '../../../tools/ranking-data/vectors/blend-vectors.ts'
import { writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { writeTree } from '../../fixtures/write-tree.ts'

// Not quick: a model runs in a process.
/** Two words that were learned to be alike, and two that the encoder holds to be alike. */
function written() {
  const folder = tempDir()
  const words = ['iron', 'water', 'cooki', 'tabl']
  writeFileSync(join(folder, 'model.json'), JSON.stringify({ words, dimensions: 2 }))
  writeFileSync(join(folder, 'vectors.i8'), Int8Array.from([127, 0, 127, 10, 0, 127, 0, 127]))
  writeFileSync(join(folder, 'weights.f32'), Float32Array.from([3, 3, 2, 2, 1, 1, 1, 1].map((weight) => weight / 127)))
  writeEncoder(join(folder, 'tiny'))
  writeTree(folder, { 'docs/page.md': '# Cookies\n\nA cookie, cookies and tables.\n' })
  return { folder, words }
}

test('words keep their weights, and are alike if the word vectors and the encoder hold them to be alike', async () => {
  const { folder, words } = written()
  const out = join(folder, 'out')
  const options = { vectors: folder, model: join(folder, 'tiny'), out, dimensions: 3, share: 1 }
  await blendVectors([join(folder, 'docs')], options, () => undefined)
  expect(JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'))).toEqual({ words, dimensions: 3 })
  const bytes = new Int8Array(readFileSync(join(out, 'vectors.i8')))
  const factors = new Float32Array(new Uint8Array(readFileSync(join(out, 'weights.f32'))).buffer)
  const row = (word: string) => [...bytes.subarray(words.indexOf(word) * 3, words.indexOf(word) * 3 + 3)]
  const weight = (word: string) => Math.hypot(...row(word)) * (factors[2 * words.indexOf(word)] as number)
  expect([weight('iron'), weight('water'), weight('cooki')]).toEqual([
    expect.closeTo(3, 1),
    expect.closeTo(2, 1),
    expect.closeTo(1, 1),
  ])
  const cosine = (a: string, b: string) =>
    row(a).reduce((sum, each, i) => sum + each * (row(b)[i] as number), 0) / (Math.hypot(...row(a)) * Math.hypot(...row(b)))
  expect(cosine('cooki', 'tabl')).toBeGreaterThan(0.99)
  expect(cosine('iron', 'water')).toBeLessThan(cosine('cooki', 'tabl'))
  expect(cosine('iron', 'cooki')).toBeLessThan(0)
})

test('files of different word vectors are rejected', async () => {
  const { folder } = written()
  writeFileSync(join(folder, 'vectors.i8'), Int8Array.from([1, 2, 3]))
  const options = { vectors: folder, model: join(folder, 'tiny'), out: join(folder, 'out'), dimensions: 3, share: 1 }
  await expect(blendVectors([join(folder, 'docs')], options, () => undefined)).rejects.toThrow(/do not belong together/)
})
