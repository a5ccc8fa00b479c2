import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { Header } from 'tar/header'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { BackupHeader } from '../../../onprem/backup/backup-header.ts'
import { checkBackup } from '../../../onprem/backup/check-backup.ts'
import { readTar, type TarFile } from '../../../onprem/backup/read-tar.ts'
import { tarEnd, tarPadding } from '../../../onprem/backup/tar-header.ts'
import { downloadBackup, restoreInto, tarOf, writeTar } from '../../fixtures/backups.ts'
import { page } from '../../fixtures/page.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { testInstall } from '../../fixtures/test-install.ts'

// Each of some hundred archives is unpacked to disk.
type Entry = {
  name: string
  content: Buffer
  type?: 'File' | 'SymbolicLink' | 'Link' | 'Directory' | 'CharacterDevice'
  linkpath?: string
}

let archive: Buffer
let entries: Entry[]
beforeAll(async () => {
  const install = await testInstall()
  await install.git.create('acme/lever', { files: { 'README.md': page('Lever', 'The lever turns.') } })
  await install.parse('acme/lever')
  const path = join(install.dataDir, 'backup')
  archive = readFileSync(await downloadBackup(install, path))
  entries = []
  async function* tar() {
    yield tarOf(path)
  }
  for await (const file of readTar(tar())) entries.push({ name: file.name, content: await contentOf(file) })
  await install.close()
})

async function contentOf({ content }: TarFile): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

function tarFrom(all: Entry[]): Buffer {
  const blocks = all.flatMap(({ name, content, type = 'File', linkpath }) => {
    const block = Buffer.alloc(512)
    new Header({ path: name, size: content.length, mode: 0o600, type, ...(linkpath && { linkpath }) }).encode(block)
    return [block, content, tarPadding(content.length)]
  })
  return Buffer.concat([...blocks, tarEnd()])
}

/** The archive with other entries, and a header and sums that fit them. */
function forged(change: (all: Entry[]) => Entry[], header: (found: BackupHeader) => object = (found) => found): Buffer {
  const files = change(entries.slice(1, -1))
  const found = JSON.parse(String(entries[0]?.content)) as BackupHeader
  const sizeBytes = files.reduce((sum, { content }) => sum + content.length, 0)
  const first = {
    name: 'backup.json',
    content: Buffer.from(JSON.stringify(header({ ...found, files: files.length, sizeBytes }))),
  }
  const sums = [first, ...files].map(({ name, content }) => `${sha256(content)}  ${name}\n`).join('')
  return tarFrom([first, ...files, { name: 'sha256sums', content: Buffer.from(sums) }])
}

/** Restores an archive into a folder with a file, and returns the error. Expects that nothing was changed. */
async function rejection(bytes: Buffer, folder = tempDir()): Promise<string> {
  const path = join(folder, 'backup.tar.zst')
  writeFileSync(path, bytes)
  const dataDir = join(folder, 'data')
  const message = await restoreInto(dataDir, path).then(
    () => 'restored',
    (error: Error) => error.message,
  )
  if (message !== 'restored') {
    expect(readdirSync(dataDir).sort()).toEqual(['half', 'server.lock'])
    expect(readdirSync(folder).sort()).toEqual(['backup.tar.zst', 'data'])
  }
  return message
}
const rejectionOf = (tar: Buffer) => rejection(zstdCompressSync(tar))

test('an archive with its own entries is restored, so that the forged ones below fail for their reason only', async () => {
  expect(await rejectionOf(forged((all) => all))).toBe('restored')
})

const file = (name: string): Entry => ({ name, content: Buffer.from('x') })
test.each<[string, (all: Entry[]) => Entry[]]>([
  ['a path to a parent folder', (all) => [...all, file('../escaped')]],
  ['a path to a parent folder inside a path', (all) => [...all, file('snippets/../../escaped')]],
  ['an absolute path', (all) => [...all, file('/tmp/escaped')]],
  ['a path with a backslash', (all) => [...all, file('snippets\\..\\escaped')]],
  ['a dot file', (all) => [...all, file('snippets/.bashrc')]],
  ['a file that no backup has', (all) => [...all, file('server.lock')]],
  ['the salts', (all) => [...all, file('salts.db')]],
  ['key files that it does not announce', (all) => [...all, file('secrets.key')]],
  ['a file twice', (all) => [...all, file('vendor/a'), file('vendor/a')]],
  ['a symbolic link', (all) => [{ name: 'snippets', content: Buffer.alloc(0), type: 'SymbolicLink', linkpath: '/tmp' }, ...all]],
  ['a hard link', (all) => [{ name: 'vendor/a', content: Buffer.alloc(0), type: 'Link', linkpath: '/etc/passwd' }, ...all]],
  ['a device', (all) => [...all, { name: 'vendor/a', content: Buffer.alloc(0), type: 'CharacterDevice' }]],
  ['a folder', (all) => [...all, { name: 'vendor/a', content: Buffer.alloc(0), type: 'Directory' }]],
  ['a file below a file', (all) => [...all, file('vendor/a'), file('vendor/a/b')]],
  ['no database', (all) => all.filter(({ name }) => name !== 'carrel.db')],
])('an archive with %s is rejected, also by a check alone, and nothing is changed', async (_, change) => {
  const message = /^The backup .* is damaged or incomplete: .*\. Nothing was changed/
  expect(await rejectionOf(forged(change))).toMatch(message)
  const path = writeTar(join(tempDir(), 'backup'), forged(change))
  await expect(checkBackup(path, new AbortController().signal)).rejects.toThrow(message)
})

test.runIf(mayMount())('a check unpacks no database that the temporary folder has no room for', async () => {
  const temp = tempDir()
  const unmount = smallDisk(temp, 8)
  onTestFinished(() => unmount?.())
  const filler = 'CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(5000000))'
  const tar = forged((all) =>
    all.map((each) => (each.name === 'carrel.db' ? { ...each, content: changedBy(each.content, filler) } : each)),
  )
  const path = writeTar(join(tempDir(), 'backup'), tar)
  vi.stubEnv('TMPDIR', temp)
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(checkBackup(path, new AbortController().signal)).rejects.toMatchObject({ code: 'disk_full' })
})

test.each<[string, object, RegExp]>([
  ['a newer format', { format: 2 }, /was made by a newer version of Carrel\. Install that version/],
  ['a newer database', { schema: 1_000 }, /was made by Carrel .*Install that version, then restore it/],
  ['a newer version', { version: '999.0.0' }, /was made by Carrel 999\.0\.0\. Install that version/],
  ['another product', { product: 'other' }, /is not a backup of Carrel/],
  [
    'an unreleased version',
    { product: 'carrel', version: '2.0.0', schema: 24 },
    /was made by an unreleased version of Carrel\. Nothing was changed\. Restore it with that version, or add the libraries again/,
  ],
  ['more files than it holds', { files: 10_000 }, /files are missing/],
  ['more bytes than the disk has', { sizeBytes: 2 ** 52 }, /needs .* and the disk of DATA_DIR has/],
  ['a date that is none', { createdAt: 'today' }, /backup\.json is invalid/],
])('an archive that claims %s is rejected and nothing is changed', async (_, claim, message) => {
  expect(
    await rejectionOf(
      forged(
        (all) => all,
        (found) => ({ ...found, ...claim }),
      ),
    ),
  ).toMatch(message)
})

test.runIf(mayMount())('a disk that fills while an archive is unpacked keeps its old content', async () => {
  const folder = tempDir()
  const unmount = smallDisk(join(folder, 'data'), 8)
  onTestFinished(() => unmount?.())
  // A file of one byte takes a block of the disk, so the sizes of all fit.
  const blocks = Array.from({ length: 2_000 }, (_, index) => file(`vendor/${index}`))
  const tar = forged((all) => [...all, ...blocks])
  expect(await rejection(zstdCompressSync(tar), folder)).toMatch(/^The disk of .* is full\. Nothing was changed; make room/)
})

function changedBy(database: Buffer, sql: string): Buffer {
  const path = join(tempDir(), 'carrel.db')
  writeFileSync(path, database)
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = DELETE; ${sql}`)
  db.close()
  return readFileSync(path)
}

test.each<[string, (content: Buffer) => Buffer]>([
  ['is damaged', (content) => Buffer.concat([content.subarray(0, 4096), Buffer.alloc(content.length - 4096, 'x')])],
  ['is none', () => Buffer.from('hello')],
  [
    'has another schema than the archive says',
    (content) => Buffer.concat([content.subarray(0, 60), Buffer.from([0, 0, 0, 99]), content.subarray(64)]),
  ],
  ['is of an unreleased version', (content) => Buffer.concat([content.subarray(0, 68), Buffer.alloc(4), content.subarray(72)])],
  ['lacks a table', (content) => changedBy(content, 'DROP TABLE audit')],
  [
    'has an import whose data is a path',
    (content) =>
      changedBy(
        content,
        `INSERT INTO jobs (key, project, kind, state, request, created_at, due_at)
          VALUES ('/a/b', '/a/b', 'import', 'failed', '{"staged":"../../models"}', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`,
      ),
  ],
  ['has a trigger', (content) => changedBy(content, 'CREATE TRIGGER again AFTER DELETE ON users BEGIN DELETE FROM keys; END')],
])('an archive whose database %s is rejected, also by a check alone, and nothing is changed', async (_, change) => {
  const tar = forged((all) => all.map((each) => (each.name === 'carrel.db' ? { ...each, content: change(each.content) } : each)))
  const message = /^The database in the backup .* is damaged: .*\. Nothing was changed; use an older backup\.$/
  expect(await rejectionOf(tar)).toMatch(message)
  const path = writeTar(join(tempDir(), 'backup'), tar)
  vi.stubEnv('TMPDIR', tempDir())
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(checkBackup(path, new AbortController().signal)).rejects.toThrow(message)
  expect(readdirSync(tmpdir())).toEqual([])
})

test.each([
  ['an empty file', Buffer.alloc(0)],
  ['text', Buffer.from('hello')],
  ['a zip', Buffer.from('PK\u0003\u0004 and more')],
  ['compressed text', zstdCompressSync(Buffer.from('hello'))],
  ['an empty tar archive', zstdCompressSync(tarEnd())],
])('an archive that is %s is rejected', async (_, bytes) => {
  expect(await rejection(bytes)).toMatch(/is not a backup of Carrel|is damaged or incomplete/)
})

test('an archive that is cut off anywhere is rejected and nothing is changed', async () => {
  for (let i = 0; i < 25; i++)
    expect(await rejection(archive.subarray(0, Math.floor((archive.length * i) / 25)))).toMatch(/^The (file|backup) /)
  // The last bytes encode only the end of the archive and a checksum: without some of them, the content is complete and checked.
  for (const missing of [20, 50, 100, 1_000]) expect(await rejection(archive.subarray(0, -missing))).toMatch(/^The backup /)
  const tar = forged((all) => all)
  for (let i = 1; i < 10; i++)
    expect(await rejectionOf(tar.subarray(0, Math.floor((tar.length * i) / 10)))).toMatch(/^The backup /)
})

test('an archive with any changed byte is rejected, or restores exactly the same', async () => {
  const same = sha256(tarFrom(entries))
  await fc.assert(
    fc.asyncProperty(fc.nat(archive.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const changed = Buffer.from(archive)
      changed[at] = (changed[at] ?? 0) ^ mask
      const message = await rejection(changed)
      if (message === 'restored') {
        const path = writeTar(join(tempDir(), 'changed'), Buffer.alloc(0))
        writeFileSync(path, changed)
        const found: Entry[] = []
        async function* tar() {
          yield tarOf(path)
        }
        for await (const each of readTar(tar())) found.push({ name: each.name, content: await contentOf(each) })
        expect(sha256(tarFrom(found))).toBe(same)
      } else expect(message).toMatch(/^The (file|backup) /)
    }),
    { numRuns: 60 },
  )
})

test('an archive whose content was changed before it was compressed is rejected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(entries.length - 1), fc.nat(), fc.integer({ min: 1, max: 255 }), async (which, where, mask) => {
      const changed = entries.map((each) => ({ ...each }))
      const entry = changed[which] as Entry
      const content = Buffer.from(entry.content)
      fc.pre(content.length > 0)
      const at = where % content.length
      content[at] = (content[at] ?? 0) ^ mask
      entry.content = content
      expect(await rejectionOf(tarFrom(changed))).toMatch(/^The (file|backup) /)
    }),
    { numRuns: 40 },
  )
})

test.each([-1, -512, -(2 ** 40)])('a file of %d bytes is rejected', async (size) => {
  const block = Buffer.alloc(512)
  new Header({ path: 'backup.json', size, mode: 0o600, type: 'File' }).encode(block)
  async function* archive() {
    yield Buffer.concat([block, tarEnd()])
  }
  await expect(Array.fromAsync(readTar(archive()))).rejects.toThrow('it holds backup.json of a wrong size')
})
