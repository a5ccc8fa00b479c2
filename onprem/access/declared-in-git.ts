import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import { isSecret } from '../../shared/settings/settings.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { DeclaredStore } from '../store/declared/declared-store.ts'
import type { GitopsRuns } from '../store/declared/gitops-runs.ts'

export type DeclaredPorts = {
  declared: Pick<DeclaredStore, 'library' | 'settings'>
  gitopsRuns: Pick<GitopsRuns, 'last'>
  settings: Pick<SettingsStore, 'get'>
}

/** The page of the entry that declares a library in the followed repository. Undefined if none does. */
export function declaredAt(ports: DeclaredPorts, { owner, repo }: LibraryId): string | undefined {
  const entry = ports.declared.library({ owner, repo })
  return entry?.by === 'git' && entry.named ? pageOf(ports, entry.line) : undefined
}

/** Throws forbidden if the followed repository declares the library. */
export function rejectDeclared(ports: DeclaredPorts, id: LibraryId): void {
  const page = declaredAt(ports, id)
  if (page !== undefined) throw new AppError('forbidden', declaredElsewhere(shownId({ owner: id.owner, repo: id.repo }), page))
}

/** Throws forbidden if the followed repository declares one of the settings. Tokens and keys can always be changed. */
export function rejectDeclaredSettings(ports: DeclaredPorts, names: string[]): void {
  const entry = ports.declared.settings().find(({ name, by }) => by === 'git' && !isSecret(name) && names.includes(name))
  const page = entry && pageOf(ports, entry.line)
  if (page !== undefined) throw new AppError('forbidden', declaredElsewhere(entry?.name ?? '', page))
}

export const declaredElsewhere = (what: string, page: string): string => `${what} is declared in ${page}. Change it there.`

function pageOf({ gitopsRuns, settings }: DeclaredPorts, line: number): string | undefined {
  const fileUrl = settings.get('gitops.repository') === undefined ? null : gitopsRuns.last()?.fileUrl
  return fileUrl == null ? undefined : `${fileUrl}#L${line}`
}
