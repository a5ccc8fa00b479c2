import { readFileSync } from 'node:fs'
import { build, type Plugin as EsbuildPlugin } from 'esbuild'
import type { Plugin } from 'vite'

const root = new URL('../../..', import.meta.url).pathname
/** Node runs the program with the `require` of a script, as a module or as a script. */
const banner = `// Carrel's setup of AI clients. Licenses of the packages in it: /settings/about of the web UI.
(async () => {
const { createRequire } = await import('node:module')
const require = createRequire(process.cwd() + '/')`

/** Everyone may read the version in `package.json`, but nothing else of it. */
const onlyVersion: EsbuildPlugin = {
  name: 'only version',
  setup({ onLoad }) {
    onLoad({ filter: /\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/**
 * Writes `dist/cli.mjs`: `onprem/cli/client-program.ts` in one file that Node 18 runs without any package, also from its standard input, which it reads as
 * CommonJS. `inputs` returns the files that it was built from, relative to the project.
 */
export function clientProgram(): { plugin: Plugin; inputs(): string[] } {
  let inputs: string[] = []
  const plugin: Plugin = {
    name: 'client program',
    apply: 'build',
    async generateBundle() {
      const { metafile, outputFiles } = await build({
        absWorkingDir: root,
        entryPoints: ['onprem/cli/client-program.ts'],
        bundle: true,
        write: false,
        minify: true,
        keepNames: true,
        format: 'cjs',
        platform: 'node',
        target: 'node18',
        // This is the only file of jsonc-parser that esbuild can bundle.
        mainFields: ['module', 'main'],
        plugins: [onlyVersion],
        banner: { js: banner },
        footer: { js: '})()' },
        legalComments: 'none',
        metafile: true,
      })
      inputs = Object.keys(metafile.inputs)
      this.emitFile({ type: 'asset', fileName: 'cli.mjs', source: outputFiles[0]?.text ?? '' })
    },
  }
  return { plugin, inputs: () => inputs }
}
