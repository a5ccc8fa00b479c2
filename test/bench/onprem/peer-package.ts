import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import type { Library } from '../documentation.ts'

/** The cost from the files on disk to a searchable package. */
export type PeerPackage = { ms: number; cpuSeconds: number; sections: number }

const run = promisify(execFile)

/** The peer's driver is built on installation; Node's own SQLite does the same work without that. */
const database = `
  import { DatabaseSync } from 'node:sqlite'
  export function openDatabase(path) {
    const db = new DatabaseSync(path)
    const transaction = (work) => (...args) => {
      db.exec('BEGIN')
      work(...args)
      db.exec('COMMIT')
    }
    return { prepare: (sql) => db.prepare(sql), exec: (sql) => db.exec(sql), transaction, close: () => db.close() }
  }`

const main = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { join } from 'node:path'
  import { buildPackage } from './package-builder.ts'
  const [root, output] = process.argv.slice(2)
  const began = performance.now()
  const before = process.cpuUsage()
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = paths.map((entry) => join(entry.parentPath, entry.name)).sort().map((path) => ({ path, content: readFileSync(path, 'utf8') }))
  const { sectionCount } = buildPackage(output, files, { name: 'bench', version: '1' })
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ ms: performance.now() - began, cpuSeconds: (user + system) / 1e6, sections: sectionCount }))`

/**
 * Builds the package of neuledge/context from the files of a library, in its own process. `checkout` is its repository with the packages of
 * `packages/context` installed.
 */
export async function peerPackage(checkout: string, { files }: Library, folder: string): Promise<PeerPackage> {
  const source = join(resolve(checkout), 'packages/context/src')
  const program = join(folder, 'peer.mjs')
  const docs = join(folder, 'docs')
  for (const [path, text] of files) {
    await mkdir(join(docs, path, '..'), { recursive: true })
    await writeFile(join(docs, path), text)
  }
  const ownSqlite: Plugin = {
    name: 'own SQLite',
    setup: ({ onLoad }) => void onLoad({ filter: /\/database\.ts$/ }, () => ({ contents: database, loader: 'js' })),
  }
  await build({
    stdin: { contents: main, resolveDir: source, loader: 'ts' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    plugins: [ownSqlite],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  const { stdout } = await run(process.execPath, [program, docs, join(folder, 'peer.db')], { maxBuffer: 1e6 })
  return JSON.parse(stdout)
}
