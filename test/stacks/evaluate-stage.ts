import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { childEnv } from '../../shared/system/child-env.ts'
import { makePlatform } from '../../stacks/platform.ts'

// biome-ignore lint/suspicious/noExplicitAny: inputs of a resource are what AWS takes
export type Inputs = Record<string, any>
export type Made = { type: string; name: string; inputs: Inputs; plain: string; retainOnDelete: boolean; protect: boolean }
/** One Lambda as SST would build it, and the packages that go into its zip of those that LanceDB brings along. */
export type Build = {
  name: string
  handler: string
  links: Record<string, Inputs>
  properties: Inputs
  packages: string[]
  copyFiles: { from: string; to: string }[]
}
export type Stage = {
  app: { name: string; stage: string; removal: string; protect: boolean }
  resources: Made[]
  builds: Build[]
}

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const platform = join(root, '.sst/platform')

/**
 * Evaluates sst.config.ts for a stage with SST's real components, in a separate process that ends itself. Nothing is deployed. Throws
 * with the output of the process if the stage is rejected.
 */
export async function evaluateStage(stage: string, env: Record<string, string>): Promise<Stage> {
  const work = mkdtempSync(join(tmpdir(), 'carrel-stage-'))
  try {
    const evaluation = await prepareEvaluation(stage, work)
    await promisify(execFile)(process.execPath, [evaluation.program], {
      cwd: root,
      timeout: 180_000,
      env: { PATH: process.env.PATH, HOME: work, ...childEnv(), ...evaluation.env, ...env },
    })
    return JSON.parse(readFileSync(evaluation.resultPath, 'utf8'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A program for Node that evaluates a stage, with its environment. It writes the zips of the Lambdas to `artifacts` in the folder `work`. */
export async function prepareEvaluation(stage: string, work: string, { byCli = false } = {}) {
  bundled ??= bundleAsTheCli()
  const program = await bundled
  const resultPath = join(work, 'result.json')
  const globals = {
    $dev: false,
    $app: { stage },
    $cli: {
      command: 'deploy',
      paths: { root, platform, work },
      state: { version: {} },
      test: { work, resultPath, byCli },
    },
  }
  return { program, resultPath, env: { GLOBALS: JSON.stringify(globals) } }
}

let bundled: Promise<string> | undefined

async function bundleAsTheCli(): Promise<string> {
  await makePlatform()
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/stacks/evaluate-stage.mjs')],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    inject: [join(platform, 'src/shim/run.js')],
    banner: { js: 'Object.assign(globalThis, JSON.parse(process.env.GLOBALS))' },
  })
  // The bundle is next to the packages that it needs.
  const bundle = join(platform, 'evaluate-stage.mjs')
  const written = `${bundle}.${process.pid}`
  writeFileSync(written, outputFiles[0]?.contents ?? '')
  renameSync(written, bundle)
  return bundle
}
