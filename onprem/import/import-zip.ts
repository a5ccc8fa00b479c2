import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { bundleLimits } from '../../shared/bundle/bundle-element.ts'
import type { CheckedManifest } from '../../shared/bundle/manifest.ts'
import { type BundleZip, openBundleZip } from '../../shared/bundle/open-bundle-zip.ts'
import { readBundle } from '../../shared/bundle/read-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { Caller } from '../access/caller.ts'
import type { ImportPorts } from './import-json.ts'
import { type ImportAnswer, type ImportOptions, importAnswer, type QueueAnswer, queueElements } from './queue-elements.ts'
import { receiveForm } from './receive-form.ts'
import { addUnknown, type StagedElement, type StagedUpload, stageElements, type UnknownFields } from './stage-elements.ts'
import { type Bundled, bundledBy } from './unbundled-versions.ts'

export type ImportZipPorts = ImportPorts & {
  settings: Pick<SettingsStore, 'get'>
  /** Public keys that sign bundles, as PEM. */
  bundleKeys(): string[]
}

/**
 * Imports a form with a zip. The file is first written to disk; then each library is queued when it is unpacked. With force and without a
 * manifest, all are queued after the last one is unpacked, because only the whole zip shows which versions to remove. If it throws
 * validation_error or payload_too_large, nothing is queued.
 */
export async function importZip(
  ports: ImportZipPorts,
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  { force, caller }: { force: boolean; caller: Caller },
): Promise<ImportAnswer> {
  const upload = ports.imports.claim()
  const path = ports.imports.pathOf(upload)
  let zip: BundleZip | undefined
  try {
    const forced = await receiveForm(chunks, contentType, { path, limitBytes: bundleLimits.zipBytes })
    zip = await openBundleZip(path, ports.bundleKeys())
    const signature = zip.checked?.signature ?? 'absent'
    const note = notes[signature]
    if (note !== undefined && ports.settings.get('import.requireSignature'))
      throw unsigned(signature === 'unknown' ? `${note} ${trustAdvice}` : note)
    const origin = `From a bundle${zip.checked ? ` made ${zip.checked.manifest.created}` : ''}. ${note ?? 'Its signature is valid.'}`
    const answer = await importFiles(ports, zip, { force: force || forced, caller, origin })
    return importAnswer(answer, note)
  } finally {
    zip?.close()
    await ports.imports.discard(upload)
  }
}

const notes: Record<CheckedManifest['signature'], string | undefined> = {
  valid: undefined,
  absent: 'The bundle is not signed.',
  unknown: 'The bundle is signed with a key that this install does not know.',
}

const trustAdvice =
  'If it comes from another install, run "carrel export --public-key" there and add the key to the setting bundle.trustedKeys here.'

export const unsigned = (why: string) =>
  new AppError(
    'validation_error',
    `This install accepts only bundles that are signed with a trusted key (setting import.requireSignature). ${why} Nothing was imported.`,
  )

/** Failures of the server, not of a file. */
const ofServer: AppError['code'][] = ['internal_error', 'data_damaged', 'temporarily_unavailable', 'disk_full']

/** Imports file by file. An error that unpacking reveals concerns only that file, unless it is the only one. */
async function importFiles(ports: ImportZipPorts, zip: BundleZip, request: ImportOptions) {
  const answer: QueueAnswer = { queued: [], skipped: [], removed: [], noted: 0 }
  const unknown: UnknownFields = { names: [], more: 0 }
  const named = zip.checked?.manifest.libraries.map(({ project }) => project)
  const waiting: StagedElement[] = []
  const seen = new Set<string>()
  const queue = async (staged: StagedElement[], bundled: Bundled) => {
    const { queued, skipped, removed, noted, note } = await queueElements(ports, staged, request, bundled, seen)
    answer.queued.push(...queued)
    answer.skipped.push(...skipped)
    answer.removed.push(...removed)
    answer.noted += noted
    if (note !== undefined) answer.note = note
  }
  const unpacked = new Set<string>()
  let damage: unknown
  try {
    for (const { file, project, sha256 } of listed(zip)) {
      const name = project ?? file
      if (unpacked.has(file)) {
        answer.skipped.push({ project: name, reason: 'Its file is in the manifest more than once.' })
        continue
      }
      unpacked.add(file)
      const upload: StagedUpload = { staged: [], skipped: [], unknown: { names: [], more: 0 } }
      try {
        await unpack(ports, zip, { file, project, sha256 }, upload)
        for (const field of upload.unknown.names) addUnknown(unknown, field)
        unknown.more += upload.unknown.more
        answer.skipped.push(...upload.skipped)
        if (named || !request.force) await queue(upload.staged, bundledBy([], named ?? []))
        else waiting.push(...upload.staged.splice(0))
      } catch (error) {
        if (!(error instanceof AppError) || (ofServer.includes(error.code) && answer.queued.length === 0)) throw error
        damage ??= error
        answer.skipped.push({ project: name, reason: error.message })
      } finally {
        for (const { name: staged } of upload.staged) await ports.imports.discard(staged)
      }
    }
    const bundled = bundledBy(
      waiting.map(({ id }) => id),
      answer.skipped.map(({ project }) => project),
    )
    await queue(waiting, bundled)
  } finally {
    for (const { name } of waiting) await ports.imports.discard(name)
  }
  if (unpacked.size === 0) throw new AppError('validation_error', 'The zip contains no library: it has no JSON files.')
  if (damage !== undefined && answer.queued.length === 0 && answer.skipped.length === 1) throw damage
  return { ...answer, unknown }
}

type Listed = { file: string; project?: string; sha256?: string }

const listed = ({ checked, files }: BundleZip): Listed[] => checked?.manifest.libraries ?? files.map((file) => ({ file }))

/** Stages the libraries of one file. With a manifest a file has one library; a wrong hash is reported before any other error. */
async function unpack(
  ports: ImportZipPorts,
  zip: BundleZip,
  { file, project, sha256 }: Listed,
  upload: StagedUpload,
): Promise<void> {
  const name = file.slice(0, 200)
  const hash = createHash('sha256')
  const chunks = unpacking(await zip.read(file), name, hash)
  const wrongHash = `The hash (SHA-256) of its file "${name}" is not the one in the manifest: the file was changed or damaged.`
  try {
    await stageElements(ports.imports, readBundle(chunks, `The file "${name}"`), upload)
  } catch (error) {
    if (sha256 !== undefined && (await hashOf(await zip.read(file), name)) !== sha256) throw invalid(wrongHash, error)
    throw error
  }
  if (project === undefined) return
  if (hash.digest('hex') !== sha256) throw invalid(wrongHash)
  const other = upload.staged.find(({ id }) => !isSame(id, project))
  if (other) throw invalid(`Its file "${name}" contains ${printLibraryId(other.id)} instead.`)
}

const invalid = (why: string, cause?: unknown) => new AppError('validation_error', why, { cause })

async function hashOf(stream: Readable, name: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const _ of unpacking(stream, name, hash));
  return hash.digest('hex')
}

async function* unpacking(stream: Readable, name: string, hash: { update(chunk: Buffer): unknown }): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      hash.update(chunk)
      yield chunk
    }
  } catch (cause) {
    throw invalid(`The file "${name}" cannot be unpacked: it is damaged, or its size differs from the one in the zip.`, cause)
  } finally {
    stream.destroy()
  }
}

function isSame(id: LibraryId, named: string): boolean {
  try {
    return printLibraryId(parseLibraryId(named)).toLowerCase() === printLibraryId(id).toLowerCase()
  } catch {
    return false
  }
}
