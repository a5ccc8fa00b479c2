import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { type Build, root, type Stage } from './evaluate-stage.ts'
import { one } from './stage.ts'

/** The packages that a file and its imports require. */
export async function packagesUnder(file: string): Promise<string[]> {
  const made = await outputOf(file, { outfile: join(root, 'entry.mjs'), write: false, packages: 'external' })
  return packagesOf(made.imports).filter((name) => !name.startsWith('node:'))
}

/**
 * Builds a Lambda like SST, in one file except for the packages that are installed next to it, and loads it like AWS, with only the
 * resources that it is linked to. Throws its errors, also for a native module that is not installed. AWS is not reached. Returns its
 * exports, the installed packages that it requires, and the paths that it reads relative to itself.
 */
export async function startEntry(stage: Stage, { name, handler, links, properties }: Build) {
  const folder = mkdtempSync(join(root, '.sst/entry-'))
  const installed = Object.keys(properties.install ?? {})
  try {
    const outfile = join(folder, 'index.mjs')
    const made = await outputOf(handler.replace('.handler', '.ts'), {
      outfile,
      external: installed,
      mainFields: ['module', 'main'],
      keepNames: true,
      banner: { js: banner },
    })
    const start = `globalThis.awslambda = { streamifyResponse: (handle) => handle }; await import(${JSON.stringify(outfile)}); process.exit(0)`
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', start], {
      cwd: folder,
      timeout: 120_000,
      env: {
        ...linked(links),
        ...one(stage, 'lambda/function', name).inputs.environment.variables,
        ...nowhere,
        SST_KEY_FILE: '',
      },
    })
    return {
      exported: made.exports,
      packages: installed.filter((name) => packagesOf(made.imports).includes(name)),
      reads: [...readFileSync(outfile, 'utf8').matchAll(/new URL\("\.\/([^"]+)", import\.meta\.url\)/g)].map(
        ([, path = '']) => path,
      ),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** SST's banner of a bundle, for modules that use `require`. */
const banner = [
  "import { createRequire as topLevelCreateRequire } from 'node:module'",
  'const require = topLevelCreateRequire(import.meta.url)',
  'const __filename = import.meta.filename',
  'const __dirname = import.meta.dirname',
].join('\n')

async function outputOf(file: string, options: BuildOptions) {
  const common = { bundle: true, metafile: true, platform: 'node', format: 'esm', target: 'es2024', logLevel: 'silent' } as const
  const { metafile } = await build({ entryPoints: [join(root, file)], ...common, ...options })
  const [made] = Object.values(metafile?.outputs ?? {})
  if (!made) throw new Error(`${file} gave no output`)
  return made
}

const packagesOf = (imports: { path: string }[]): string[] =>
  [...new Set(imports.map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')))].sort()

const linked = (links: Build['links']) =>
  Object.fromEntries(Object.entries(links).map(([name, properties]) => [`SST_RESOURCE_${name}`, JSON.stringify(properties)]))

const nowhere = {
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nothing',
  AWS_EC2_METADATA_DISABLED: 'true',
}
