import { expect, test } from 'vitest'
import { catalogue } from '../../../../shared/ai/local/catalogue.ts'

test('each model of the catalogue is pinned to a commit, and each file to its hash', () => {
  for (const { revision, files } of catalogue) {
    expect(revision).toMatch(/^[0-9a-f]{40}$/)
    for (const { sha256, bytes } of files) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(bytes).toBeGreaterThan(0)
    }
  }
})

test('each model of the catalogue has weights and a tokenizer', () => {
  for (const { files } of catalogue)
    expect(files.map(({ path }) => path).toSorted()).toEqual(['onnx/model_quantized.onnx', 'tokenizer.json'])
})

test('no two models of the catalogue have one folder or the same weights', () => {
  for (const key of [catalogue.map(({ name }) => name), catalogue.map(({ files: [weights] }) => weights?.sha256)])
    expect(new Set(key).size).toBe(catalogue.length)
})
