import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { oldestNode } from '../shared/system/require-node.cjs'
import { lazyCommonJs } from './lazy-commonjs.ts'
import { root } from './root.ts'

/** Files that the code starts as a thread or a process, such as `new URL('./pack-worker.ts', import.meta.url)`. */
const startedFile = /new URL\('([\w./-]+\.ts)', import\.meta\.url\)/g
/** See `loadArrow`: in a bundle there is one copy of Arrow, which esbuild finds only by a plain `require`. */
const arrowOfLance = /createRequire\(import\.meta\.url\)(?=\('apache-arrow'\))/g
/** The parsers of source code, which `build.ts` copies. */
const grammars = /pathToFileURL\(createRequire\(import\.meta\.url\)\.resolve\('@vscode\/tree-sitter-wasm'\)\)/g
/** The name of the import is one that no file has: esbuild does not rename what a banner declares. */
const require =
  "import { createRequire as createBannerRequire } from 'node:module'; const require = createBannerRequire(import.meta.url);"

/**
 * Bundles the on-premise server, its command line and all files that they start into one flat folder, so that each finds the others next to
 * itself. Only native packages stay outside. Names are kept and there are no source maps: stack traces name the functions of the source.
 */
export async function bundle(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entryFiles().map((file) => [entryName(file), file])),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${oldestNode}`,
    // Without esbuild's own condition "module", the files are those that Node would load.
    conditions: [],
    chunkNames: 'chunk-[hash]',
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    // This is the only file of jsonc-parser that esbuild can bundle.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    external: ['@lancedb/lancedb-*', '*.node', 'canvas'],
    plugins: [ownSources, treeSitter, lazyCommonJs],
    banner: { js: require },
  })
  return metafile
}

/** The name of a started file in the bundle. */
const entryName = (file: string): string => file.replace(/\.ts$/, '').replaceAll('/', '-')

function entryFiles(): string[] {
  const files = new Set(['onprem/main.ts', 'onprem/cli/main.ts'])
  for (const path of globSync('{onprem,shared}/**/*.ts', { cwd: root })) {
    for (const [, name = ''] of readFileSync(join(root, path), 'utf8').matchAll(startedFile)) files.add(join(dirname(path), name))
  }
  return [...files]
}

const ownSources: Plugin = {
  name: 'own sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const folder = dirname(relative(root, path))
      const contents = readFileSync(path, 'utf8')
        .replaceAll(startedFile, (_, name: string) => `new URL('./${entryName(join(folder, name))}.js', import.meta.url)`)
        .replaceAll(arrowOfLance, 'require')
        .replaceAll(grammars, "new URL('./grammars/tree-sitter.wasm', import.meta.url)")
      return { contents, loader: 'ts' }
    })
  },
}

/** tree-sitter takes its own address from `__filename`, which a bundle of modules lacks. It is given its WebAssembly, so that any address will do. */
const treeSitter: Plugin = {
  name: 'tree-sitter',
  setup({ onLoad }) {
    onLoad({ filter: /tree-sitter-wasm\/wasm\/tree-sitter\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(
        "throw new Error('Unable to determine script URL')",
        "return 'file:///'",
      )
      return { contents, loader: 'js' }
    })
  },
}
