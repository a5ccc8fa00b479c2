import { execFile, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import JSZip from 'jszip'
import { childEnv } from '../../shared/system/child-env.ts'
import { type Build, platform, prepareEvaluation, root, type Stage } from './evaluate-stage.ts'

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

/** A Lambda as AWS would run it. `folder` is its /var/task, `handler` is such as `bundle.handler`. */
export type BuiltLambda = {
  name: string
  folder: string
  handler: string
  /** The variables of its environment, except for the values that it is linked to. */
  variables: Record<string, string>
  /** Names of the resources and secrets that it is linked to. */
  links: string[]
  zipBytes: number
}

/**
 * Builds every Lambda with SST's CLI and zips it with SST's components, without AWS and without a network. Unpacks each zip in its own
 * folder of `folder`, as AWS does in /var/task. The packages that SST would install there are links to the checkout's.
 */
export async function buildLambdas(folder: string, secrets: Record<string, string>): Promise<BuiltLambda[]> {
  const work = mkdtempSync(join(tmpdir(), 'carrel-build-'))
  try {
    const { program, resultPath, env } = await prepareEvaluation('dev', work, { byCli: true })
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
    const stage: Stage = JSON.parse(readFileSync(resultPath, 'utf8'))
    return await Promise.all(stage.builds.map((build) => unpack(stage, build, join(work, 'artifacts'), join(folder, build.name))))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function unpack(stage: Stage, { name, links, properties }: Build, zips: string, folder: string): Promise<BuiltLambda> {
  const zip = join(zips, name, 'code.zip')
  await unzip(zip, folder)
  for (const installed of installedWith(Object.keys(properties.install ?? {})))
    link(join(root, 'node_modules', installed), join(folder, 'node_modules', installed))
  const made = stage.resources.find(({ type, name: of }) => type === 'aws:lambda/function:Function' && of === `${name}Function`)
  if (!made) throw new Error(`SST creates no Lambda ${name}.`)
  const { handler, environment } = made.inputs
  return { name, folder, handler, variables: environment.variables, links: Object.keys(links), zipBytes: statSync(zip).size }
}

/** The packages and all their dependencies, without optional ones. LanceDB's native module is this machine's. */
function installedWith(packages: string[], found = new Set<string>()): Set<string> {
  for (const name of packages.map((name) => name.replace('lancedb-linux-arm64-gnu', `lancedb-linux-${process.arch}-gnu`))) {
    const manifest = join(root, 'node_modules', name, 'package.json')
    if (found.has(name) || !existsSync(manifest)) continue
    found.add(name)
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
    installedWith(Object.keys({ ...dependencies, ...peerDependencies }), found)
  }
  return found
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
