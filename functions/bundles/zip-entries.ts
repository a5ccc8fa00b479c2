import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { bundleFormatVersion } from '../../shared/bundle/bundle.ts'
import { type Manifest, signManifest } from '../../shared/bundle/manifest.ts'
import { writeBundle } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import { sourceOf } from './exportable.ts'
import type { PlannedFile } from './plan-zip.ts'

type Listed = Manifest['libraries'][number]

/** The file of one element; what the manifest says of it is told when the last chunk is taken. */
export async function* elementEntry(
  snippets: Pick<SnippetStore, 'scan'>,
  { file, element }: PlannedFile,
  onBytes: (bytes: number) => void,
  onDone: (listed: Listed) => void,
): AsyncGenerator<Buffer> {
  const { project } = element.head
  const hash = createHash('sha256')
  const chunks = writeBundle([sourceOf(snippets, element)])
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => Promise.reject(unreadable(project, error)))
    if (next.done) {
      const [written] = next.value
      return onDone({
        project,
        file,
        codeSnippets: written?.codeSnippets ?? 0,
        infoSnippets: written?.infoSnippets ?? 0,
        sha256: hash.digest('hex'),
      })
    }
    hash.update(next.value)
    onBytes(next.value.length)
    yield next.value
    // Deflating one after the other would leave no room for anything else.
    await setImmediate()
  }
}

/** The manifest of what is listed by the time that it is read. */
export async function* manifestEntry(listed: Listed[], created: Date, signingPem: string | undefined): AsyncGenerator<Buffer> {
  const manifest: Manifest = { formatVersion: bundleFormatVersion, created: created.toISOString(), libraries: listed }
  yield Buffer.from(JSON.stringify(signingPem === undefined ? manifest : await signManifest(manifest, signingPem)))
}

function unreadable(project: string, cause: unknown): AppError {
  const { owner, repo } = parseLibraryId(project)
  const isGone = cause instanceof AppError && cause.code === 'not_found'
  const what = isGone ? 'was replaced while the zip was being built, or is lost' : 'cannot be read'
  const message = `The content of ${project} ${what}. Build the zip again; if that does not help, "hosted refresh ${printLibraryId({ owner, repo })}" reads it anew.`
  return new AppError('search_failed', message, { transient: isGone, cause })
}
