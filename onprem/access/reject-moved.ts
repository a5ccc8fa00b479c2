import { AppError } from '../../shared/errors.ts'
import { printLibraryId } from '../../shared/library.ts'
import type { RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { LibraryRules } from '../accounts/library-rules.ts'

/**
 * Throws access_denied for a repository whose new name a rule gives to some callers, if another rule or none decides about its old name: its
 * content would be read by others under the old one.
 */
export function rejectMoved(rules: Pick<LibraryRules, 'current'>, from: RepoAddress, to: RepoAddress): void {
  const [before, after] = [from, to].map(({ id }) => rules.current().of(printLibraryId(id)))
  if (after === undefined || after.access === 'public' || after.pattern === before?.pattern) return
  throw new AppError(
    'access_denied',
    `${from.webUrl} has moved, and a rule of this install decides who reads its new name. Ask an admin to add it under its new address.`,
  )
}
