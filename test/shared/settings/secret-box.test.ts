import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

describe('a secret', () => {
  test('is decrypted with the key file that it was encrypted with, which only its owner can read', () => {
    const dataDir = tempDir()
    const sealed = secretBox(dataDir).seal('ghp_ä😀', 'github.token')
    expect(secretBox(dataDir).open(sealed, 'github.token')).toBe('ghp_ä😀')
    expect(sealed).not.toContain(Buffer.from('ghp_').toString('base64').slice(0, 4))
    expect((statSync(join(dataDir, 'secrets.key')).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(dataDir)).toEqual(['secrets.key'])
  })

  test('looks different each time it is encrypted', () => {
    const box = secretBox(tempDir())
    expect(box.seal('same', 'a')).not.toBe(box.seal('same', 'a'))
  })

  test('is not decrypted with a new key file if the old one is missing', () => {
    const dataDir = tempDir()
    const sealed = secretBox(dataDir).seal('x', 'a')
    rmSync(join(dataDir, 'secrets.key'))
    expect(() => secretBox(dataDir).open(sealed, 'a')).toThrow(
      `A stored secret cannot be read: the key file ${join(dataDir, 'secrets.key')} is missing. Restore the file or save the secret again.`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  test.each([
    ['under another name', (sealed: string) => ({ sealed, context: 'b' })],
    ['with a byte changed', (sealed: string) => ({ sealed: flip(sealed), context: 'a' })],
    ['cut short', (sealed: string) => ({ sealed: sealed.slice(0, 8), context: 'a' })],
    ['empty', () => ({ sealed: '', context: 'a' })],
  ])('is not decrypted if it is %s', (_, change) => {
    const box = secretBox(tempDir())
    const { sealed, context } = change(box.seal('x', 'a'))
    expect(() => box.open(sealed, context)).toThrow(/^A stored secret cannot be read: it was not encrypted with the key file/)
  })

  test('is not decrypted with the key file of another install', () => {
    const sealed = secretBox(tempDir()).seal('x', 'a')
    const other = secretBox(tempDir())
    other.seal('y', 'a')
    expect(() => other.open(sealed, 'a')).toThrow('it was not encrypted with the key file')
  })
})

describe('a key file', () => {
  test('is reported and never overwritten if it has the wrong length', () => {
    const dataDir = tempDir()
    const path = join(dataDir, 'secrets.key')
    writeFileSync(path, 'short')
    expect(() => secretBox(dataDir).seal('x', 'a')).toThrow(
      `The key file ${path} has 5 bytes instead of 32. Restore it, or remove it and save the secrets again.`,
    )
    expect(readFileSync(path, 'utf8')).toBe('short')
  })

  test('is reported if it cannot be read', () => {
    const dataDir = tempDir()
    mkdirSync(join(dataDir, 'secrets.key'))
    expect(() => secretBox(dataDir).seal('x', 'a')).toThrow(
      /^The key file .*secrets\.key cannot be read: .*secrets\.key is a folder, but must be a file\. Run: mv /,
    )
  })

  test('is reported if it cannot be written', () => {
    const dataDir = join(tempDir(), 'gone')
    expect(() => secretBox(dataDir).seal('x', 'a')).toThrow(/^The key file .*secrets\.key cannot be written: ENOENT/)
  })
})

function flip(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  bytes.writeUInt8(bytes.readUInt8(14) ^ 1, 14)
  return bytes.toString('base64')
}
