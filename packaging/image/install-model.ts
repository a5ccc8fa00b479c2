import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPackage } from '../../onprem/support/read-package.ts'
import { type CatalogueFile, catalogue } from '../../shared/ai/local/catalogue.ts'
import { runtimePackages } from '../../shared/ai/local/runtime.ts'
import { root } from '../root.ts'
import { licenseText } from '../third-party-licenses.ts'
import { carriedModel } from './model-source.ts'

/**
 * Puts the first model of the catalogue and the packages that run it on this processor into the package of an image:
 * `node install-model.ts DIST hub|folder|none`. `hub` fetches the model, `folder` takes what `npm run image -- --model FOLDER` has put into the
 * checkout. A file with another hash fails the build.
 */
const [dist = 'dist', source = 'hub'] = process.argv.slice(2)
const hub = 'https://huggingface.co'
const [model] = catalogue
const line = `\n\n${'-'.repeat(80)}\n\n`

const packages = [...Object.keys(runtimePackages), 'onnxruntime-common']
for (const name of packages) installPackage(name)
appendFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), packages.map(licenseOf).join(''))
if (model && source !== 'none') {
  for (const file of model.files) {
    const content =
      source === 'folder'
        ? readFileSync(join(carriedModel, file.path))
        : await download(`${hub}/${model.repository}/resolve/${model.revision}/${file.path}`)
    checkHash(file, content)
    const target = join(dist, 'lib/models', model.name, file.path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
}

function licenseOf(name: string): string {
  const read = readPackage(join(root, 'node_modules', name))
  const each = name.startsWith('onnxruntime') ? { ...read, author: 'Microsoft Corporation' } : read
  return `${each.name} ${each.version} (${each.license})\n\n${licenseText(each)}${line}`
}

/** Copies a package without libraries for other systems, sources and types. */
function installPackage(name: string): void {
  const target = join(dist, 'node_modules', name)
  const unused = /\.(?:map|d\.ts)$|onnxruntime-node\/(?:lib|script)\b|tokenizers\/types\b|dist\/esm\b|README/
  cpSync(join(root, 'node_modules', name), target, { recursive: true, filter: (path) => !unused.test(path) })
  const binaries = join(target, 'bin')
  if (!existsSync(binaries)) return
  for (const version of readdirSync(binaries)) {
    keepOnly(join(binaries, version), process.platform)
    keepOnly(join(binaries, version, process.platform), process.arch)
  }
}

function keepOnly(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) if (name !== kept) rmSync(join(folder, name), { recursive: true })
}

async function download(url: string): Promise<Buffer> {
  const answer = await fetch(url).catch((error) => fail(`${url} cannot be reached: ${error.cause?.message ?? error.message}`))
  if (!answer.ok) fail(`${url} answers ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

function checkHash({ path, sha256 }: CatalogueFile, content: Buffer): void {
  const hash = createHash('sha256').update(content).digest('hex')
  if (hash !== sha256) fail(`${path} of the model has the hash ${hash}, not ${sha256}`)
}

function fail(sentence: string): never {
  process.stderr.write(
    `carrel: ${sentence}. "npm run image -- --model FOLDER" takes the model from a folder, "--model none" builds without.\n`,
  )
  process.exit(1)
}
