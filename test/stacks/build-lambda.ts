import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import JSZip from 'jszip'
import { childEnv } from '../../shared/system/child-env.ts'
import { type Build, platform, prepareEvaluation, root } from './evaluate-stage.ts'

const confined = [
  '--map-root-user',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
]

/**
 * The reason why SST's CLI cannot build here; undefined if it can. It listens on all interfaces, so it runs in its own network
 * namespace.
 */
export function sstBuildMissing(): string | undefined {
  return spawnSync('unshare', [...confined, 'true']).status === 0 ? undefined : 'it cannot have its own network namespace'
}

/**
 * Builds a Lambda with SST's CLI and zips it with SST's components, both without AWS and without a network. Unpacks the zip in `folder`, as
 * AWS does in /var/task. The packages that SST would install there are links to the checkout's.
 */
export async function buildLambda(name: string, folder: string, secrets: Record<string, string>): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'carrel-build-'))
  try {
    const { program, resultPath, env } = await prepareEvaluation('dev', work, [name])
    const app = join(work, 'app')
    const pulumi = join(work, 'config/sst/bin/pulumi')
    writeApp(app)
    writeText(pulumi, pulumiStub)
    await promisify(execFile)('unshare', [...confined, join(root, 'node_modules/.bin/sst'), 'diff', '--stage', 'dev'], {
      cwd: app,
      timeout: 180_000,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: work,
        XDG_CONFIG_HOME: join(work, 'config'),
        SST_PULUMI_PATH: pulumi,
        SST_BUN_PATH: 'true',
        SST_TELEMETRY_DISABLED: '1',
        SST_SKIP_DEPENDENCY_CHECK: '1',
        EVALUATION: program,
        ...childEnv(),
        ...env,
        ...secrets,
      },
    })
    const { builds }: { builds: Build[] } = JSON.parse(readFileSync(resultPath, 'utf8'))
    await unzip(join(work, 'artifacts', name, 'code.zip'), folder)
    const installed = builds.find((build) => build.name === name)?.properties.install ?? {}
    for (const each of Object.keys(installed)) link(join(root, 'node_modules', each), join(folder, 'node_modules', each))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** An app without AWS, whose handlers are those of the checkout. The CLI writes to `.sst`, so it gets its own. */
function writeApp(app: string): void {
  writeText(
    join(app, 'sst.config.ts'),
    `export default $config({ app: () => ({ name: 'carrel', home: 'local' }), run: async () => {} })`,
  )
  for (const each of ['functions', 'shared', 'onprem', 'package.json', 'node_modules']) link(join(root, each), join(app, each))
  writeText(join(app, '.sst/provider-lock.json'), '[]')
  for (const each of ['src', 'node_modules']) link(join(platform, each), join(app, '.sst/platform', each))
  for (const each of ['version', 'package.json']) copyFileSync(join(platform, each), join(app, '.sst/platform', each))
}

/**
 * The program that the CLI starts instead of Pulumi: it makes an empty state, then evaluates the stage while the CLI listens at
 * SST_SERVER.
 */
const pulumiStub = `#!/bin/sh
case "$1" in
stack) mkdir -p .pulumi/stacks/carrel && echo '{"version":3,"checkpoint":{"latest":{}}}' > .pulumi/stacks/carrel/dev.json ;;
preview) exec node "$EVALUATION" ;;
esac
`

async function unzip(zipPath: string, folder: string): Promise<void> {
  const { files } = await JSZip.loadAsync(readFileSync(zipPath))
  for (const [path, file] of Object.entries(files)) if (!file.dir) writeText(join(folder, path), await file.async('nodebuffer'))
}

function writeText(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode: 0o755 })
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
