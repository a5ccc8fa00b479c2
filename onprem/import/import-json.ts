import { readBundle } from '../../shared/bundle/read-bundle.ts'
import { printLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import { type ImportAnswer, importAnswer } from './import-answer.ts'
import { queueElements } from './queue-elements.ts'
import { type StagedUpload, stageElements } from './stage-elements.ts'
import { bundledBy } from './versions-outside.ts'

type ImportJsonPorts = Pick<App, 'catalog' | 'jobs' | 'imports' | 'audit' | 'worker'>

/** Imports a JSON body while it comes; nothing is queued before it is complete. Throws validation_error, payload_too_large. */
export async function importJson(
  app: ImportJsonPorts,
  chunks: AsyncIterable<Uint8Array>,
  { force, actor }: { force: boolean; actor: string },
): Promise<ImportAnswer> {
  const taken: StagedUpload = { staged: [], skipped: [] }
  try {
    await stageElements(app.imports, readBundle(chunks), taken)
    const asked = {
      force: force || taken.force === true,
      actor,
      origin: 'From the body of an import, which carries no signature.',
    }
    const bundled = bundledBy([
      ...taken.staged.map(({ id }) => printLibraryId(id)),
      ...taken.skipped.map(({ project }) => project),
    ])
    const answer = await queueElements(app, taken.staged, asked, bundled, new Set())
    return importAnswer({ ...answer, skipped: [...taken.skipped, ...answer.skipped] })
  } finally {
    for (const { name } of taken.staged) await app.imports.discard(name)
  }
}
