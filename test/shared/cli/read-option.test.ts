import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFileOption } from '../../../shared/cli/read-option.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const fileOf = (size: number): string => {
  const file = join(tempDir(), 'key.pem')
  writeFileSync(file, 'ü'.repeat(size / 2))
  return file
}

test('a file of up to 64 KB is read whole', () => {
  expect(readFileOption('--key', fileOf(65_536))).toBe('ü'.repeat(32_768))
  expect(readFileOption('--key', fileOf(0))).toBe('')
})

test('a larger or endless file is rejected', () => {
  for (const file of [fileOf(65_538), '/dev/zero'])
    expect(() => readFileOption('--key', file)).toThrow(`--key: the file ${file} is larger than 65536 bytes.`)
})

test('a pipe is read to its end', () => {
  const module = new URL('../../../shared/cli/read-option.ts', import.meta.url).href
  const script = `import { readFileOption } from '${module}'; process.stdout.write(readFileOption('--key', '/dev/stdin'))`
  const run = `{ printf a; printf b; } | ${process.execPath} --input-type=module --eval "${script}"`
  expect(execFileSync('sh', ['-c', run], { encoding: 'utf8' })).toBe('ab')
})

test.each([
  ['/no/such/file', 'does not exist'],
  ['/tmp', 'is a directory'],
])('the file %s is rejected with the reason why it cannot be read', (file, why) => {
  expect(() => readFileOption('--key', file)).toThrow(`--key: the file ${file} ${why}.`)
})
