import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installTool } from '../tools/install-tool.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules/.bin')

/**
 * Installs `.sst/platform`, which has SST's components and the types of `stacks/`, if it is missing or has other versions than
 * package.json and sst.config.ts. Connects only to the package registry.
 */
export async function makePlatform(): Promise<void> {
  if (isCurrent()) return
  const settings = mkdtempSync(join(tmpdir(), 'carrel-sst-'))
  const bun = await installTool('bun')
  try {
    await promisify(execFile)(join(bin, 'sst'), ['install', '--stage', 'dev', '--print-logs'], {
      cwd: root,
      timeout: 300_000,
      env: {
        ...process.env,
        XDG_CONFIG_HOME: settings,
        SST_BUN_PATH: bunBinary(bun),
        SST_TELEMETRY_DISABLED: '1',
        SST_SKIP_DEPENDENCY_CHECK: '1',
        AWS_EC2_METADATA_DISABLED: 'true',
      },
    })
  } finally {
    rmSync(settings, { recursive: true, force: true })
    rmSync(dirname(bun), { recursive: true, force: true })
  }
  if (!isCurrent())
    throw new Error(
      '"sst install" did not install the versions of package.json and sst.config.ts in .sst/platform. Run it by hand.',
    )
}

function isCurrent(): boolean {
  const { version } = JSON.parse(read('node_modules/sst/package.json'))
  const providers: { name: string; version: string }[] = JSON.parse(read('.sst/provider-lock.json') || '[]')
  const wanted = /aws: \{\s+version: '([\d.]+)'/.exec(read('sst.config.ts'))?.[1]
  return (
    read('.sst/platform/version').trim() === version &&
    providers.some(({ name, version }) => name === 'aws' && version === wanted) &&
    existsSync(join(root, '.sst/platform/config.d.ts')) &&
    existsSync(join(root, '.sst/platform/node_modules/@pulumi/aws/package.json'))
  )
}

function bunBinary(packages: string): string {
  const [binary] = globSync('@oven/bun-*/bin/bun', { cwd: packages })
  if (!binary)
    throw new Error(`There is no bun for ${process.platform} on ${process.arch}, which SST needs to install its components.`)
  return join(packages, binary)
}

function read(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''
}

if (import.meta.main) await makePlatform()
