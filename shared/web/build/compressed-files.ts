import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const text = /\.(css|m?js|svg)$/
const minBytes = 256

/** Writes a gzip and a Brotli copy next to each text file, so that the server compresses nothing. */
export function compressedFiles(): Plugin {
  let publicDir = ''
  return {
    name: 'compressed files',
    apply: 'build',
    configResolved(config) {
      publicDir = config.publicDir
    },
    async writeBundle({ dir = '' }, files) {
      const names = [...Object.keys(files), ...(await readdir(publicDir))].filter((name) => text.test(name))
      await Promise.all(names.map((name) => compress(join(dir, name))))
    },
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < minBytes) return
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  await Promise.all([
    writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 })),
    writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality)),
  ])
}
