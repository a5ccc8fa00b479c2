import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { GroupStore } from '../accounts/group-store.ts'
import type { AccountsAtHosts, HostAccounts } from '../accounts/host-accounts.ts'
import { patternTest } from '../accounts/library-pattern.ts'
import type { LibraryRules, RuleSet } from '../accounts/library-rules.ts'
import type { HostReaders } from '../store/catalog/host-readers.ts'
import type { ReadableLibraries, Sees } from '../store/catalog/readable-libraries.ts'
import type { Caller, Holder, RightPorts } from './caller.ts'

/** Which libraries exist for a caller. The name is the same for callers for whom the same libraries exist. */
export type Reader = {
  name: string
  sees: Sees
  /** The request itself narrows what it sees, so there are as many such readers as anybody likes. */
  isNarrowed?: boolean
}

export type ReaderPorts = RightPorts & {
  hostAccounts: Pick<HostAccounts, 'of'>
  hostReaders: Pick<HostReaders, 'of' | 'revision'>
  now(): Date
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
  const { libraryRules, settings, hostAccounts } = ports
  if (holder && readsAll(holder)) {
    if (lists.length === 0) return undefined
    return { name: JSON.stringify(['all', lists]), sees: ({ id }) => inLists(id) }
  }
  const rules = libraryRules.current()
  const hasRules = rules.list.length > 0
  const accounts = holder?.userId ? hostAccounts.of(holder.userId) : {}
  const hosts = rules.list.some(({ access }) => access === 'host') ? hostState(ports, accounts) : undefined
  if (!holder) {
    const hidePrivate = settings.get('permissions.hidePrivate')
    if (!hasRules && !hidePrivate && lists.length === 0) return undefined
    const isPublic: Sees = ({ id, private: isPrivate }) => {
      const access = rules.of(id)?.access ?? (isPrivate && hidePrivate ? 'internal' : 'public')
      return access === 'public' || (access === 'host' && hostLets(ports, accounts, id))
    }
    return {
      name: JSON.stringify(['anonymous', rules.revision, hosts, hidePrivate, lists]),
      sees: (library) => inLists(library.id) && isPublic(library),
    }
  }
  if (!hasRules && lists.length === 0) return undefined
  const { user, groups } = namedIn(rules, ports.groups, holder)
  return {
    name: JSON.stringify(['holder', rules.revision, hosts, user, groups, lists]),
    sees({ id }) {
      if (!inLists(id)) return false
      const rule = rules.of(id)
      if (rule?.access === 'host') return hostLets(ports, accounts, id)
      if (rule?.access !== 'restricted') return true
      return (user !== undefined && rule.users.includes(user)) || rule.groups.some((name) => groups.includes(name))
    },
  }
}

/** An answer of a git host counts for so long, if the host does not answer again. */
export const maxAnswerAgeMs = 4 * 3_600_000
/** Views of libraries are kept for so long, although an answer can become too old meanwhile. */
const stateMs = 300_000

/** Changes with the answers of git hosts, and while they age. */
const hostState = ({ hostReaders, now }: ReaderPorts, accounts: AccountsAtHosts) => [
  hostReaders.revision(),
  Math.floor(now().getTime() / stateMs),
  accounts,
]

/** True if the git host of a library lets a person with these accounts read its repository. False if that is not known. */
function hostLets({ hostReaders, now }: ReaderPorts, accounts: AccountsAtHosts, id: string): boolean {
  const answer = hostReaders.of(libraryKey(parseLibraryId(id)))
  if (!answer || now().getTime() - answer.answeredAt.getTime() > maxAnswerAgeMs) return false
  const { host, readers } = answer
  if (readers === 'everyone') return true
  const account = Object.hasOwn(accounts, host) ? accounts[host] : undefined
  return account !== undefined && (readers === 'accounts' || readers.includes(account))
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
