import { mapOrdered } from '../../shared/time/map-ordered.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'

export type RestoreContentPorts = {
  catalog: Pick<HostedCatalog, 'all'>
  /** Restores what was deleted of a generation since a time. Returns how many objects were, and how many it has. */
  undeleteGeneration(generation: string, since: Date): Promise<{ readable: number; undeleted: number }>
}

const librariesAtOnce = 16

/**
 * Restores the content that a restored table points to and that was deleted since a time. It may be repeated. `lost` names the libraries
 * with a version whose content is gone; a refresh reads them again.
 */
export async function restoreContent(
  { catalog, undeleteGeneration }: RestoreContentPorts,
  since: Date,
): Promise<{ libraries: number; undeleted: number; lost: string[] }> {
  const restored = { libraries: 0, undeleted: 0, lost: [] as string[] }
  const restore = ({ versions }: CatalogRecord) => {
    const generations = new Set(Array.from(versions.values(), ({ generation }) => generation))
    return Promise.all(Array.from(generations, (generation) => undeleteGeneration(generation, since)))
  }
  for await (const [{ id }, generations] of mapOrdered(catalog.all(), librariesAtOnce, restore)) {
    restored.libraries += 1
    for (const { undeleted } of generations) restored.undeleted += undeleted
    if (generations.some(({ readable }) => readable === 0)) restored.lost.push(id)
  }
  return restored
}
