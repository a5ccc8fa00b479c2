import { readBundle } from '../../shared/bundle/read-bundle.ts'
import { printLibraryId } from '../../shared/library.ts'
import { type ImportAnswer, importAnswer } from './import-answer.ts'
import { type QueueElementsPorts, queueElements } from './queue-elements.ts'
import { type StagedUpload, type StagingFolder, stageElements } from './stage-elements.ts'
import { bundledBy } from './versions-outside.ts'

export type ImportPorts = QueueElementsPorts & { imports: StagingFolder }

/** Imports a JSON body while it comes; nothing is queued before it is complete. Throws validation_error, payload_too_large. */
export async function importJson(
  ports: ImportPorts,
  chunks: AsyncIterable<Uint8Array>,
  { force, actor }: { force: boolean; actor: string },
): Promise<ImportAnswer> {
  const taken: StagedUpload = { staged: [], skipped: [] }
  try {
    await stageElements(ports.imports, readBundle(chunks), taken)
    const asked = {
      force: force || taken.force === true,
      actor,
      origin: 'From the body of an import, which carries no signature.',
    }
    const bundled = bundledBy([
      ...taken.staged.map(({ id }) => printLibraryId(id)),
      ...taken.skipped.map(({ project }) => project),
    ])
    const answer = await queueElements(ports, taken.staged, asked, bundled, new Set())
    return importAnswer({ ...answer, skipped: [...taken.skipped, ...answer.skipped] })
  } finally {
    for (const { name } of taken.staged) await ports.imports.discard(name)
  }
}
