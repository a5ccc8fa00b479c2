import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import { root } from '../root.ts'
import { builders, findBuilder } from './builders.ts'
import { carriedModel, carryModel } from './model-source.ts'

/** Builds the image of the on-premise server and writes an archive for `docker load` with its checksum: `npm run image -- --help`. */
const usage = `Usage: npm run image -- --keys FOLDER [--out FOLDER] [--tag NAME] [--platform linux/amd64] [--base IMAGE] [--model FOLDER|none] [--builder ${builders.join('|')}]

Builds the image with the vendor's public keys in FOLDER (license.pub.pem and bundle.pub.pem) and writes
carrel-VERSION-ARCHITECTURE.tar.gz and its .sha256 file to the folder image, or to --out. The image contains the model
all-minilm-l6-v2: from huggingface.co, or from a folder with tokenizer.json and onnx/model_quantized.onnx; with none it has no model.`

const { values } = parseArgs({
  options: {
    keys: { type: 'string' },
    out: { type: 'string', default: join(root, 'image') },
    tag: { type: 'string' },
    platform: { type: 'string' },
    base: { type: 'string' },
    model: { type: 'string', default: 'hub' },
    builder: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const fail = (message: string): never => {
  process.stderr.write(`carrel: ${message}\n`)
  process.exit(1)
}
if (values.keys === undefined) throw fail('--keys is missing: name the folder with license.pub.pem and bundle.pub.pem.')
const [license, bundle] = ['license', 'bundle'].map((name) => readKey(join(values.keys ?? '', `${name}.pub.pem`)))
const builder = findBuilder(values.builder)
if (builder === undefined)
  throw fail('No builder works here: install docker, podman or buildah. A docker without its daemon does not work.')

const model = carryModel(values.model)
if (model.missing !== undefined) throw fail(`${model.missing} does not exist. --model names a folder with the files of a model.`)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const tag = values.tag ?? `carrel:${version}`
const platform = values.platform ?? `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`
const archive = join(values.out, `carrel-${version}-${platform.split('/').slice(1).join('-')}.tar`)
mkdirSync(values.out, { recursive: true })
rmSync(archive, { force: true })
process.stdout.write(`Building ${tag} for ${platform} with ${builder.name}\n`)
run(
  builder.build({
    tag,
    platform,
    dockerfile: join(root, 'onprem/Dockerfile'),
    args: {
      ...(values.base && { BASE: values.base }),
      VENDOR_LICENSE_KEY: license ?? '',
      VENDOR_BUNDLE_KEY: bundle ?? '',
      MODEL: model.argument,
    },
    context: root,
  }),
)
rmSync(carriedModel, { recursive: true, force: true })
run(builder.save(tag, archive))
const file = `${archive}.gz`
await pipeline(createReadStream(archive), createGzip(), createWriteStream(file))
rmSync(archive)
const hash = createHash('sha256')
await pipeline(createReadStream(file), hash)
writeFileSync(`${file}.sha256`, `${hash.digest('hex')}  ${basename(file)}\n`)
process.stdout.write(`${file}\n${file}.sha256\n`)

function run([program = '', ...words]: string[]): void {
  const { status } = spawnSync(program, words, { stdio: 'inherit' })
  if (status !== 0) fail(`${program} failed.`)
}

function readKey(path: string): string {
  if (!existsSync(path)) fail(`${path} does not exist. "npm run -s carrel -- license keygen --out FOLDER" writes it.`)
  return readFileSync(path, 'utf8')
}
