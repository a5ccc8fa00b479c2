import { createWriteStream, existsSync, openAsBlob } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { builtInModelsDir } from '../../../shared/ai/local/model-folder.ts'
import { whyUnreadable } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { type CheckedZip, openZip } from '../../../shared/zip/open-zip.ts'
import {
  checkRuntime,
  fetchRuntime,
  hasRuntime,
  type RuntimePlatform,
  runtimeDirOf,
  thisPlatform,
} from '../../models/fetch-runtime.ts'
import { type ArchiveEntry, folderEntries, modelEntries, writeArchive } from '../../models/model-archive.ts'
import { runtimeFolder } from '../../models/model-zip-files.ts'

/** A zip of a model with a runtime. */
const zipLimits = { zipEntries: 20_000, unpackedBytes: 2 ** 32 }

/** Calls `work` with a folder that is deleted afterwards. */
async function withTempFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent, 'carrel-model-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes a zip of an installed model, with the runtime for a platform if one is named. */
export async function packModel(
  dataDir: string,
  name: string,
  file: string,
  platform: RuntimePlatform | undefined,
  signal: AbortSignal,
): Promise<void> {
  const own = join(dataDir, 'models', name)
  const model = modelEntries(existsSync(own) ? own : join(builtInModelsDir, name))
  if (platform === undefined) return writeArchive(file, model, signal)
  await withTempFolder(tmpdir(), async (folder) => {
    await fetchRuntime(folder, platform, signal)
    const runtime = await folderEntries(join(folder, 'node_modules'), `${runtimeFolder}${platform}/node_modules/`)
    await writeArchive(file, [...model, ...runtime], signal)
  })
}

/** Installs the runtime with npm if there is none. `onStart` is called before. */
export async function addRuntime(dataDir: string, onStart: () => void, signal: AbortSignal): Promise<void> {
  if (hasRuntime(dataDir)) return
  const platform = thisPlatform()
  onStart()
  await withTempFolder(dataDir, async (folder) => {
    await fetchRuntime(folder, platform, signal)
    await publishRuntime(dataDir, folder)
  })
}

async function publishRuntime(dataDir: string, folder: string): Promise<void> {
  const target = runtimeDirOf(dataDir)
  await rm(target, { recursive: true, force: true })
  await rename(folder, target)
}

type Source = { dataDir: string; from: string; signal: AbortSignal }

/** Calls `upload` with the zip of the model in a folder or in a zip. Installs the runtime that a zip may hold, too. */
export async function unpackSource({ dataDir, from, signal }: Source, upload: (zip: Blob) => Promise<void>): Promise<void> {
  const stats = await stat(from).catch((error: unknown) => {
    throw new AppError('command_failed', `${from} ${whyUnreadable(error)}.`, { cause: error })
  })
  if (stats.isDirectory()) return uploadEntries(modelEntries(from), upload, signal)
  const zip = await openZip(from, zipLimits)
  try {
    const runtime = zip.files.map(({ name }) => name).filter((name) => name.startsWith(runtimeFolder))
    if (runtime.length === 0) return await upload(await openAsBlob(from))
    const prefix = `${runtimeFolder}${thisPlatform()}/`
    if (!runtime.every((name) => name.startsWith(prefix))) throw otherPlatform(runtime)
    const model = zip.files.filter(({ name }) => !name.startsWith(runtimeFolder))
    const entries = model.map(({ name }) => ({ name, open: () => zip.read(name) }))
    await withTempFolder(dataDir, async (folder) => {
      for (const name of runtime) await unpackFile(zip, name, join(folder, name.slice(prefix.length)), signal)
      await checkRuntime(folder)
      await uploadEntries(entries, upload, signal)
      await publishRuntime(dataDir, folder)
    })
  } finally {
    zip.close()
  }
}

async function uploadEntries(entries: ArchiveEntry[], upload: (zip: Blob) => Promise<void>, signal: AbortSignal): Promise<void> {
  await withTempFolder(tmpdir(), async (folder) => {
    const path = join(folder, 'model.zip')
    await writeArchive(path, entries, signal)
    await upload(await openAsBlob(path))
  })
}

async function unpackFile(zip: CheckedZip, name: string, target: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await pipeline(await zip.read(name), createWriteStream(target), { signal })
}

function otherPlatform([first = '']: readonly string[]): AppError {
  const platform = first.slice(runtimeFolder.length).split('/')[0]
  return new AppError('command_failed', `The zip holds the runtime for ${platform}, but this machine is ${thisPlatform()}.`)
}
