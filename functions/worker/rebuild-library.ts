import { randomBytes } from 'node:crypto'
import { interruptibleStore } from '../../shared/indexing/interruptible-store.ts'
import { reanalyse } from '../../shared/indexing/pages/reanalyse.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { HostedCatalog, Writer } from '../catalog/hosted-catalog.ts'
import type { ClaimedJob } from '../jobs/hosted-jobs.ts'
import { outdatedVersions } from '../jobs/rebuild-outdated.ts'

type RebuildLibraryPorts = { catalog: HostedCatalog; snippets: SnippetStore; stage(message: string): void }

/** Copies each generation that has an old format to a new one in the current format. Nothing is fetched. */
export async function rebuildLibrary(
  { catalog, snippets, stage }: RebuildLibraryPorts,
  job: ClaimedJob,
  id: LibraryId,
  writer: Writer,
  signal: AbortSignal,
): Promise<void> {
  const parsing = catalog.parsing(id, writer)
  const store = interruptibleStore({ snippets, catalog: parsing }, signal)
  const outdated = outdatedVersions(await parsing.versions(id), snippets.format)
  stage('Rebuilding the index')
  for (const replaced of new Set(outdated.map(({ generation }) => generation))) {
    const generation = `g${job.id}-${randomBytes(6).toString('hex')}`
    await parsing.reserve(generation, job.id)
    const copy = await store.write(generation)
    try {
      const batches = reanalyse(snippets.read(replaced), signal)
      let next = await batches.next()
      for (; !next.done; next = await batches.next()) await copy.add(next.value)
      await copy.finish(next.value)
      signal.throwIfAborted()
    } catch (error) {
      await copy.abort().catch(() => undefined)
      throw error
    }
    await catalog.replace(id, writer, replaced, { generation, format: snippets.format })
  }
}
