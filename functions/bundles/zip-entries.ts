import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { bundleFormatVersion } from '../../shared/bundle/bundle-element.ts'
import { type Manifest, signManifest } from '../../shared/bundle/manifest.ts'
import { writeBundle } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { sourceOf } from './export-elements.ts'
import type { PlannedFile } from './plan-zip.ts'

type Listed = Manifest['libraries'][number]

/** The file of one element. `onDone` gets its entry for the manifest after the last chunk. */
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
    const next = await chunks.next().catch((error: unknown) => Promise.reject(unreadable(element.id, error)))
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
    // Deflating chunk after chunk would block the event loop.
    await setImmediate()
  }
}

/** The manifest of the libraries that are listed when it is read. */
export async function* manifestEntry(listed: Listed[], created: Date, signingPem: string | undefined): AsyncGenerator<Buffer> {
  const manifest: Manifest = { formatVersion: bundleFormatVersion, created: created.toISOString(), libraries: listed }
  yield Buffer.from(JSON.stringify(signingPem === undefined ? manifest : await signManifest(manifest, signingPem)))
}

function unreadable(id: LibraryId, cause: unknown): AppError {
  const { owner, repo } = id
  const isGone = cause instanceof AppError && cause.code === 'not_found'
  const what = isGone ? 'was replaced while the zip was being built, or is lost' : 'cannot be read'
  const message = `The content of ${printLibraryId(id)} ${what}. Build the zip again. If that does not help, run "hosted refresh ${printLibraryId({ owner, repo })}".`
  return new AppError('search_failed', message, { retry: isGone ? 'limited' : 'never', cause })
}
