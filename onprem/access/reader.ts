import type { GroupStore } from '../accounts/group-store.ts'
import { patternTest } from '../accounts/library-pattern.ts'
import type { LibraryRules, RuleSet } from '../accounts/library-rules.ts'
import type { ReadableLibraries, Sees } from '../store/catalog/readable-libraries.ts'
import type { Caller, Holder, RightPorts } from './caller.ts'

/** Which libraries exist for a caller. The name is the same for callers for whom the same libraries exist. */
export type Reader = { name: string; sees: Sees }

export type ReaderPorts = RightPorts & {
  libraryRules: Pick<LibraryRules, 'current'>
  groups: Pick<GroupStore, 'groupsOf'>
  /** The stores as a reader sees them. */
  readableBy(reader: Reader): ReadableLibraries
}

/**
 * The reader that a caller is; undefined if all libraries exist for it. A rule decides about a library; without one, it is internal if a stored token
 * fetched it and `permissions.hidePrivate` is on, else public.
 */
export function readerOf(ports: ReaderPorts, { holder, only }: Pick<Caller, 'holder' | 'only'>): Reader | undefined {
  const lists = [holder?.libraries, only].filter((list) => list !== undefined)
  const inLists = (id: string) => {
    if (lists.length === 0) return true
    const selects = patternTest(id)
    return lists.every((list) => list.some(selects))
  }
  const { libraryRules, settings } = ports
  if (holder && readsAll(holder)) {
    if (lists.length === 0) return undefined
    return { name: JSON.stringify(['all', lists]), sees: ({ id }) => inLists(id) }
  }
  const rules = libraryRules.current()
  const hasRules = rules.list.length > 0
  if (!holder) {
    const hidePrivate = settings.get('permissions.hidePrivate')
    if (!hasRules && !hidePrivate && lists.length === 0) return undefined
    const isPublic: Sees = (library) =>
      (rules.of(library.id)?.access ?? (library.private && hidePrivate ? 'internal' : 'public')) === 'public'
    return {
      name: JSON.stringify(['anonymous', rules.revision, hidePrivate, lists]),
      sees: (library) => inLists(library.id) && isPublic(library),
    }
  }
  if (!hasRules && lists.length === 0) return undefined
  const { user, groups } = namedIn(rules, ports.groups, holder)
  return {
    name: JSON.stringify(['holder', rules.revision, user, groups, lists]),
    sees({ id }) {
      if (!inLists(id)) return false
      const rule = rules.of(id)
      if (rule?.access !== 'restricted') return true
      return (user !== undefined && rule.users.includes(user)) || rule.groups.some((name) => groups.includes(name))
    },
  }
}

/** Admins, and the install itself. */
const readsAll = ({ role, readsAll, via }: Holder): boolean => role === 'admin' || readsAll === true || via === 'webhook'

/** The id and the groups of a user, if rules name them. */
function namedIn(
  { list }: RuleSet,
  groups: ReaderPorts['groups'],
  { userId }: Holder,
): { user: string | undefined; groups: string[] } {
  if (userId === null) return { user: undefined, groups: [] }
  const restricted = list.filter(({ access }) => access === 'restricted')
  const own = groups.groupsOf(userId)
  return {
    user: restricted.some(({ users }) => users.includes(userId)) ? userId : undefined,
    groups: [...new Set(restricted.flatMap((rule) => rule.groups))].filter((name) => own.has(name)).sort(),
  }
}
