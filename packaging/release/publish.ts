import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Signs and publishes the files of a release: `node publish.ts TAG FOLDER`. NPM_PACKAGE names the package in the registry of npm, IMAGE the
 * image with its registry; what has no name is not published. With DRY_RUN=1 it prints the commands and runs none.
 */
const [tag = '', folder = 'release'] = process.argv.slice(2)
const { DRY_RUN, IMAGE = '', NPM_PACKAGE = '' } = process.env
const version = tag.replace(/^v/, '')
const files = readdirSync(folder).map((name) => join(folder, name))
const sums = join(folder, 'SHA256SUMS')
const fail = (message: string): never => {
  process.stderr.write(`carrel: ${message}\n`)
  process.exit(1)
}
if (!files.includes(sums)) fail(`${sums} does not exist. Run write-checksums.ts first.`)

const signature = `${sums}.sigstore.json`
run('cosign', 'sign-blob', '--yes', '--bundle', signature, sums)
if (IMAGE) publishImage()
if (NPM_PACKAGE) publishPackage()
run('gh', 'release', 'create', tag, '--verify-tag', '--generate-notes', ...new Set([...files, signature]))

/** The archives of all processors have the same tag, so each is pushed before the next is loaded. */
function publishImage(): void {
  const pushed = files.flatMap((path) => {
    const [, processor] = /-(amd64|arm64)\.tar\.gz$/.exec(path) ?? []
    if (processor === undefined) return []
    const name = `${IMAGE}:${version}-${processor}`
    run('docker', 'load', '--input', path)
    run('docker', 'tag', `carrel:${version}`, name)
    run('docker', 'push', name)
    return [name]
  })
  if (pushed.length === 0) fail(`${folder} has no archive of an image.`)
  run('docker', 'buildx', 'imagetools', 'create', '--tag', `${IMAGE}:${version}`, ...pushed)
  run('cosign', 'sign', '--yes', '--recursive', `${IMAGE}:${version}`)
}

function publishPackage(): void {
  const [packed, ...more] = files.filter((path) => path.endsWith('.tgz'))
  if (packed === undefined || more.length > 0) throw fail(`${folder} must have one package.`)
  run('npm', 'publish', packed, '--provenance', '--access', 'public')
}

function run(program: string, ...words: string[]): void {
  process.stdout.write(`${[program, ...words].join(' ')}\n`)
  if (DRY_RUN === '1') return
  if (spawnSync(program, words, { stdio: 'inherit' }).status !== 0) fail(`${program} failed.`)
}
