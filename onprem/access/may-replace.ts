import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import type { LibraryOwners } from '../store/catalog/library-owners.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { type Caller, ownerOf } from './caller.ts'
import { type DeclaredPorts, declaredAt, declaredElsewhere } from './declared-in-git.ts'

export type MayReplacePorts = DeclaredPorts & { catalog: Pick<InstallCatalog, 'find'>; owners: Pick<LibraryOwners, 'of'> }

/**
 * True if a caller may replace content that was parsed here and change its source settings: an admin, or the caller who added the
 * library. Nobody may if the followed repository declares it.
 */
export function mayReplace(ports: MayReplacePorts, { holder }: Caller, id: LibraryId): boolean {
  const { catalog, owners } = ports
  if (declaredAt(ports, id) !== undefined) return false
  const library = catalog.find(id)
  if (!library || library.imported) return true
  return holder !== undefined && (holder.role === 'admin' || owners.of(id) === ownerOf(holder))
}

/** Throws forbidden. `what` is what the caller wants to do. */
export function requireReplace(ports: MayReplacePorts, caller: Caller, id: LibraryId, what: string): void {
  if (!mayReplace(ports, caller, id)) throw new AppError('forbidden', whyNot(ports, id, what))
}

/** The reason why a caller may not do `what` to a library. */
export function whyNot(ports: DeclaredPorts, { owner, repo }: LibraryId, what: string): string {
  const library = shownId({ owner, repo })
  const page = declaredAt(ports, { owner, repo })
  if (page !== undefined) return declaredElsewhere(library, page)
  return `You have not added ${library}: only the caller who added it or an admin can ${what}.`
}

/** True if an import of this id would replace content that was parsed here. A further version replaces nothing. */
export function replacesParsed({ catalog }: { catalog: Pick<InstallCatalog, 'find' | 'versions'> }, id: LibraryId): boolean {
  const library = catalog.find(id)
  if (!library || library.imported) return false
  return id.version === undefined || catalog.versions(id).some(({ version }) => version === id.version)
}
