import { expect, test } from 'vitest'
import { isReferenceSource } from '../../../../shared/reading/discover/reference-source.ts'

test.each([
  ['numpy/linalg/_linalg.py', true],
  ['src/kit/tools/hammer.py', true],
  ['numpy/testing/overrides.py', true],
  ['tools/release.py', false],
  ['docs/conf.py', false],
  ['examples/first.py', false],
  ['numpy/linalg/tests/test_linalg.py', false],
  ['kit/internal/own.go', false],
  ['node_modules/kit/index.py', false],
  ['kit/api_pb2.py', false],
  ['kit/api_pb2.pyi', false],
  ['kit/api.pyi', true],
  ['src/button.tsx', true],
  ['src/button.test.tsx', false],
  ['setup.py', false],
  ['.github/run.py', false],
])('%s is a source of an API reference: %s', (path, is) => {
  expect(isReferenceSource(path)).toBe(is)
})
