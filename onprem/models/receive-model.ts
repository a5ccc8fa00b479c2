import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CatalogueModel } from '../../shared/ai/local/catalogue.ts'
import type { LocalUse } from '../../shared/ai/local/model-facts.ts'
import { modelFolders } from '../../shared/ai/local/model-folder.ts'
import { AppError } from '../../shared/errors.ts'
import { asFullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { type CheckedZip, notUnpacked, openZip, rejectedZip } from '../../shared/zip/open-zip.ts'
import { dataLocationOf } from './external-data.ts'
import type { ModelFolders } from './model-folders.ts'
import { modelZipFiles, tokenizerFile, weightFiles } from './model-zip-files.ts'

/** A model in its largest form. */
export const modelZipLimits = { zipBytes: 2 ** 31, unpackedBytes: 2 ** 31, zipEntries: 1_000 }

type ReceiveInput = {
  folders: ModelFolders
  catalogue: readonly CatalogueModel[]
  name: string
  /** The hash of the weights, by which an admin accepts a model that is not of the catalogue. */
  confirm: string | undefined
  /** Called after all checks. */
  beforePublish(): void
}

type UnpackedFile = { path: string; sha256: string }

/** Installs the model in a zip. Until all is checked, nothing of it is seen. Throws validation_error, payload_too_large, disk_full. */
export async function receiveModel(input: ReceiveInput, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const { folders, name } = input
  const scratch = await folders.scratch()
  let zip: CheckedZip | undefined
  try {
    const path = join(scratch, 'upload.zip')
    await pipeline(Readable.from(chunks), createWriteStream(path))
    zip = await openZip(path, modelZipLimits)
    const folder = join(scratch, name)
    const files = await unpack(zip, folder)
    await checkFiles(input, scratch, files)
    input.beforePublish()
    await folders.publish(folder, name)
  } catch (error) {
    throw asFullDisk(error)
  } finally {
    zip?.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function unpack(zip: CheckedZip, folder: string): Promise<UnpackedFile[]> {
  const unpacked: UnpackedFile[] = []
  for (const { name, path } of modelZipFiles(zip.files)) {
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    const hash = createHash('sha256')
    const hashed = new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk)
        done(null, chunk)
      },
    })
    await pipeline(await zip.read(name), hashed, createWriteStream(target, { flush: true })).catch((error: unknown) => {
      throw isFullDisk(error) ? error : notUnpacked(name, error)
    })
    unpacked.push({ path, sha256: hash.digest('hex') })
  }
  return unpacked
}

/** Files of a model that the catalogue knows need no other; what it says of them is used instead of a configuration. */
async function checkFiles({ catalogue, name, confirm }: ReceiveInput, parent: string, files: UnpackedFile[]): Promise<void> {
  const folder = join(parent, name)
  const known = catalogue.find((model) => model.name === name)
  const isKnown = known?.files.every(({ path, sha256 }) => files.some((file) => file.path === path && file.sha256 === sha256))
  if (known && isKnown) {
    const others = files.filter(({ path }) => !known.files.some((file) => file.path === path))
    for (const { path } of others) {
      await rm(join(folder, path))
      await rmdir(dirname(join(folder, path))).catch(() => undefined)
    }
    return
  }
  for (const { path } of files) await checkContent(folder, path)
  requireUse(parent, name)
  requireConfirmed(
    files.filter(({ sha256 }) => !catalogue.some((model) => model.files.some((file) => file.sha256 === sha256))),
    confirm,
  )
}

async function checkContent(folder: string, path: string): Promise<void> {
  if (path.endsWith('.json')) return requireJson(await readFile(join(folder, path), 'utf8'), path)
  const location = await dataLocationOf(join(folder, path))
  if (location === 'invalid') throw rejectedZip(`its ${path} is not an ONNX model`)
  if (location === 'outside') throw rejectedZip(`its ${path} has its data in other files; export the model into one file`)
}

function requireJson(text: string, path: string): void {
  try {
    JSON.parse(text)
  } catch (cause) {
    throw rejectedZip(`its ${path} is not JSON`, cause)
  }
}

/** Throws if the folder is neither a sentence encoder nor a cross-encoder. */
function requireUse(parent: string, name: string): void {
  const find = modelFolders({ modelsDir: parent })
  const problems = (['embedding', 'reranking'] satisfies LocalUse[]).flatMap((use) => {
    try {
      find(name, use)
      return []
    } catch (error) {
      return [error]
    }
  })
  const [problem] = problems
  if (problems.length < 2 || !(problem instanceof Error)) return
  const sentence = problem.message.replaceAll(` to ${join(parent, name)}`, '').replace(/\.$/, '')
  throw rejectedZip(sentence.charAt(0).toLowerCase() + sentence.slice(1), problem)
}

/** The first of the weights and the tokenizer must be confirmed. */
function requireConfirmed(unknownFiles: UnpackedFile[], confirm: string | undefined): void {
  const [unknown] = [...weightFiles, tokenizerFile].flatMap((path) => unknownFiles.find((file) => file.path === path) ?? [])
  if (!unknown || confirm?.toLowerCase() === unknown.sha256) return
  const { path, sha256 } = unknown
  throw new AppError(
    'validation_error',
    `The catalogue does not know ${path} of this model; its hash (SHA-256) is ${sha256}. If you trust its source, send it again with confirm=${sha256}.`,
    { fields: { confirm: sha256 } },
  )
}
