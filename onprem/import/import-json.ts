import { readBundle } from '../../shared/bundle/read-bundle.ts'
import type { Caller } from '../access/caller.ts'
import { type ImportAnswer, importAnswer, type QueueElementsPorts, queueElements } from './queue-elements.ts'
import { type StagedUpload, type StagingFolder, stageElements } from './stage-elements.ts'
import { bundledBy } from './unbundled-versions.ts'

export type ImportPorts = QueueElementsPorts & { imports: StagingFolder }

/** Imports a JSON body as it arrives. Nothing is queued before it is complete. Throws validation_error, payload_too_large. */
export async function importJson(
  ports: ImportPorts,
  chunks: AsyncIterable<Uint8Array>,
  { force, caller }: { force: boolean; caller: Caller },
): Promise<ImportAnswer> {
  const upload: StagedUpload = { staged: [], skipped: [], unknown: { names: [], more: 0 } }
  try {
    await stageElements(ports.imports, readBundle(chunks), upload)
    const request = {
      force: force || upload.force === true,
      caller,
      origin: 'From the JSON body of an import, which has no signature.',
    }
    const bundled = bundledBy(
      upload.staged.map(({ id }) => id),
      upload.skipped.map(({ project }) => project),
    )
    const answer = await queueElements(ports, upload.staged, request, bundled, new Set())
    return importAnswer({ ...answer, unknown: upload.unknown, skipped: [...upload.skipped, ...answer.skipped] })
  } finally {
    for (const { name } of upload.staged) await ports.imports.discard(name)
  }
}
