import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Writes SHA256SUMS, which `sha256sum --check` reads, for the files of a folder: `node write-checksums.ts FOLDER`. */
const [folder = 'release'] = process.argv.slice(2)
const names = readdirSync(folder)
  .filter((name) => !name.startsWith('SHA256SUMS'))
  .sort()
const lines: string[] = []
for (const name of names) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(folder, name)), hash)
  lines.push(`${hash.digest('hex')}  ${name}\n`)
}
writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
