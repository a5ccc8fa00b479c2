import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Packs the built package under the name NPM_PACKAGE, with the list of its parts, and writes both to a folder:
 * `node pack.ts DIST OUT`. Without NPM_PACKAGE the package keeps its name.
 */
const [dist = 'dist', out = 'release'] = process.argv.slice(2)
const writeSbom = fileURLToPath(new URL('../image/write-sbom.ts', import.meta.url))

mkdirSync(out, { recursive: true })
const path = join(dist, 'package.json')
const manifest = JSON.parse(readFileSync(path, 'utf8'))
const name = process.env.NPM_PACKAGE || manifest.name
writeFileSync(path, `${JSON.stringify({ ...manifest, name }, null, 2)}\n`)
// Only an image has packages of Debian and a folder of native modules.
execFileSync(process.execPath, [writeSbom, dist, '/dev/null', join(dist, 'no-native-modules')], { stdio: 'inherit' })
cpSync(join(dist, 'sbom.cdx.json'), join(out, `carrel-${manifest.version}-npm.cdx.json`))
execFileSync('npm', ['pack', resolve(dist), '--pack-destination', resolve(out), '--loglevel=error'], { stdio: 'inherit' })
