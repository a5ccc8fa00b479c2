import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './evaluate-stage.ts'

/** The packages that a file and its imports require. */
export async function packagesUnder(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(root, file)],
    write: false,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'es2024',
    packages: 'external',
    logLevel: 'silent',
  })
  const paths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const names = paths.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
  return [...new Set(names)].filter((name) => !name.startsWith('node:')).sort()
}
