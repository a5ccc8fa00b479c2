import { expect, test } from 'vitest'
import { peerPackage } from '../../bench/onprem/peer-package.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { writeTree } from '../../fixtures/write-tree.ts'

test('the bench builds the package of a peer from the same files, in its own process, with the SQLite of Node', async () => {
  const checkout = tempDir()
  writeTree(checkout, {
    'packages/context/src/database.ts': `throw new Error('the driver of the peer is not installed')`,
    'packages/context/src/package-builder.ts': `
      import { openDatabase } from './database.js'
      export function buildPackage(path: string, files: { path: string; content: string }[], { name }: { name: string }) {
        const db = openDatabase(path)
        db.exec('CREATE TABLE chunks (path TEXT, content TEXT)')
        const insert = db.prepare('INSERT INTO chunks VALUES (?, ?)')
        db.transaction((all) => all.forEach((file) => insert.run(name + file.path, file.content)))(files)
        const sectionCount = db.prepare('SELECT content FROM chunks').all().length
        db.close()
        return { sectionCount }
      }`,
  })
  const files = new Map([
    ['guide.md', '# Guide\n'],
    ['api/lever.md', '# Lever\n'],
  ])
  const built = await peerPackage(checkout, { name: 'docs', files, questions: [] }, tempDir())
  expect(built).toEqual({ sections: 2, ms: expect.any(Number), cpuSeconds: expect.any(Number) })
})
