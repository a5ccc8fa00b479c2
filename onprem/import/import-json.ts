import { readBundle } from '../../shared/bundle/read-bundle.ts'
import type { App } from '../app.ts'
import { type ImportAnswer, importAnswer } from './import-answer.ts'
import { queueElements } from './queue-elements.ts'
import { removeOthers } from './remove-others.ts'
import { stageElements, type Taken } from './stage-elements.ts'

type Ports = Pick<App, 'catalog' | 'jobs' | 'imports' | 'audit' | 'worker'>

/** Imports a JSON body while it comes; nothing is queued before it is complete. Throws validation_error, payload_too_large. */
export async function importJson(
  app: Ports,
  chunks: AsyncIterable<Uint8Array>,
  { force, actor }: { force: boolean; actor: string },
): Promise<ImportAnswer> {
  const taken: Taken = { staged: [], skipped: [] }
  try {
    await stageElements(app.imports, readBundle(chunks), taken)
    const asked = {
      force: force || taken.force === true,
      actor,
      origin: 'From the body of an import, which carries no signature.',
    }
    const { queued, skipped } = await queueElements(app, taken.staged, asked, new Set())
    const answer = { queued, skipped: [...taken.skipped, ...skipped] }
    return importAnswer(answer, removeOthers(app, asked.force, answer))
  } finally {
    for (const { name } of taken.staged) await app.imports.discard(name)
  }
}
