import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installedRuntime, runtimeIn, runtimePackages } from '../../shared/ai/local/runtime.ts'
import { AppError } from '../../shared/errors.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { oneLine } from '../../shared/text/one-line.ts'

/** The systems and processors on which local models run. */
export const runtimePlatforms = ['linux-x64', 'linux-arm64', 'darwin-arm64'] as const
export type RuntimePlatform = (typeof runtimePlatforms)[number]

/** The folder for packages that the command line installs. */
export const runtimeDirOf = (dataDir: string): string => join(dataDir, 'runtime')

/** The packages that remain. The others would only download libraries for graphics cards. */
const kept = ['onnxruntime-node', 'onnxruntime-common', '@huggingface']
const maxInstallMs = 15 * 60_000

/** Throws not_configured if local models do not run on this machine. */
export function thisPlatform(): RuntimePlatform {
  const name = `${process.platform}-${process.arch}`
  const platform = runtimePlatforms.find((each) => each === name)
  if (platform) return platform
  throw new AppError('not_configured', `Local models do not run on ${name}, only on ${runtimePlatforms.join(', ')}.`)
}

/** True if the packages that run local models are in the data directory or next to Carrel. */
export function hasRuntime(dataDir: string): boolean {
  if (runtimeIn(runtimeDirOf(dataDir)) !== installedRuntime) return true
  const { resolve } = createRequire(import.meta.url)
  try {
    return Object.values(installedRuntime).every((name) => resolve(name) !== '')
  } catch {
    return false
  }
}

/** Installs the packages for a platform in an empty folder with npm, from the registry and through the proxy that npm is configured for. */
export async function fetchRuntime(folder: string, platform: RuntimePlatform, signal: AbortSignal): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: runtimePackages }))
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  await promisify(execFile)('npm', words, { cwd: folder, signal, timeout: maxInstallMs }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw notInstalled(error)
  })
  const modules = join(folder, 'node_modules')
  await keepOnly(modules, kept)
  const binaries = join(modules, 'onnxruntime-node/bin')
  const [os = '', processor = ''] = platform.split('-')
  for (const version of await readdir(binaries)) {
    await keepOnly(join(binaries, version), [os])
    await keepOnly(join(binaries, version, os), [processor])
  }
}

async function keepOnly(folder: string, names: readonly string[]): Promise<void> {
  for (const name of await readdir(folder))
    if (!names.includes(name)) await rm(join(folder, name), { recursive: true, force: true })
}

/** Throws command_failed unless a folder holds the packages in the versions that this program uses. */
export async function checkRuntime(folder: string): Promise<void> {
  for (const [name, version] of Object.entries(runtimePackages)) {
    const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}')
    const found = (JSON.parse(text) as { version?: string }).version
    if (found === version) continue
    const sentence = `The runtime holds ${found === undefined ? 'no' : `version ${found} of`} ${name}, not version ${version}.`
    throw new AppError('command_failed', `${sentence} Pack it with this version of Carrel.`)
  }
}

function notInstalled(error: unknown): AppError {
  const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string }
  const packages = Object.entries(runtimePackages).map(([name, version]) => `${name}@${version}`)
  const why = code === 'ENOENT' ? 'npm is not installed' : `npm could not install ${packages.join(' and ')}`
  const said = excerpt(oneLine(stderr), 300)
  return new AppError('command_failed', `${why}${said === '' ? '' : `: ${said}`}. The model itself is kept.`, { cause: error })
}
