import { AppError } from '../../shared/errors.ts'
import { type LibraryId, printLibraryId, versionKey } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { type KnownIdPorts, knownIdFor } from '../access/known-id-for.ts'
import type { ExportsCatalog } from '../bundles/export-elements.ts'
import { zipLimits } from '../bundles/plan-zip.ts'
import { exportedContents } from './exported-contents.ts'
import type { Selection, Selections } from './selections.ts'

/** A selection that was never saved has no `updatedAt`. */
export type FoundSelection = Omit<Selection, 'updatedAt'> & { updatedAt: string | null }

/** The selection that the members of a teamspace edit together. Every teamspace has it. */
export const currentSelection: FoundSelection = { id: 'current', name: 'Current selection', libraries: [], updatedAt: null }

type SelectionPorts = KnownIdPorts & { selections: Selections; catalog: ExportsCatalog }

const maxSelections = 100
/** The share of a zip of its unpacked size, with a margin: 0.15 for the READMEs of 350 packages. */
const zipShare = 0.2

/** A selection with the present size of its libraries, and what has changed since its last zip. */
export async function selectionAnswer({ catalog }: { catalog: ExportsCatalog }, selection: FoundSelection) {
  const { built, libraries, ...rest } = selection
  const contents = await exportedContents(catalog, libraries)
  const changeOf = (id: string): 'missing' | 'new' | 'changed' | 'unchanged' => {
    const now = contents.get(id)?.hash
    const before = built?.contents[id]
    if (now === undefined) return 'missing'
    if (before === undefined) return 'new'
    return now === before ? 'unchanged' : 'changed'
  }
  const unpackedBytes = [...contents.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return {
    ...rest,
    libraries: libraries.map((id) => {
      const { title = id, snippets = 0, sizeBytes = 0, lastUpdateDate = null } = contents.get(id) ?? {}
      return {
        id,
        title,
        snippets,
        sizeBytes,
        lastUpdateDate,
        ...(built && { change: changeOf(id) }),
        isMissing: !contents.has(id),
      }
    }),
    builtAt: built?.at ?? null,
    removedSince: Object.keys(built?.contents ?? {}).filter((id) => !libraries.includes(id)),
    unpackedBytes,
    estimatedZipBytes: Math.round(unpackedBytes * zipShare),
    limits: { libraries: zipLimits.libraries, zipBytes: zipLimits.zipBytes, unpackedBytes: zipLimits.unpackedBytes },
  }
}

/** Saves a selection with each library once. Throws validation_error for too many, invalid_library_id, team_not_found, and what `check` throws. */
export async function saveSelection(
  ports: SelectionPorts,
  teamspace: string,
  { libraries, ...selection }: Pick<Selection, 'id' | 'name' | 'libraries'>,
  check?: (before: Selection | undefined) => void,
): Promise<void> {
  const { selections } = ports
  const ids = await distinctLibraries(ports, libraries)
  if ((await selections.find(teamspace, selection.id)) === undefined) {
    const { length } = await selections.list(teamspace)
    if (length >= maxSelections)
      throw new AppError('validation_error', `A teamspace has at most ${maxSelections} selections. Delete one first.`)
  }
  await selections.save(teamspace, { ...selection, libraries: ids }, check)
}

/**
 * The ids of libraries without repetitions, each as its library has it. Only public ones are exported, so a longer id of a private one
 * stays as it is. Throws validation_error for too many, invalid_library_id.
 */
export async function distinctLibraries(ports: KnownIdPorts, libraries: string[]): Promise<string[]> {
  const sent = distinct(libraries.map(readLibraryId))
  if (sent.length > zipLimits.libraries)
    throw new AppError('validation_error', `${sent.length} libraries are too many: a zip has at most ${zipLimits.libraries}.`, {
      fields: { libraries: sent.length, limit: zipLimits.libraries },
    })
  const ids = await Promise.all(sent.map(async (id) => ({ ...id, ...(await knownIdFor(ports, id, { kind: 'anonymous' })) })))
  return distinct(ids).map(printLibraryId)
}

/** The first of the ids of each version of a library. */
function distinct(ids: LibraryId[]): LibraryId[] {
  const byKey = new Map<string, LibraryId>()
  for (const id of ids) if (!byKey.has(versionKey(id))) byKey.set(versionKey(id), id)
  return [...byKey.values()]
}
