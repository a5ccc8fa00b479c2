import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import { readRepositoryReaders, tellsReaders } from '../../shared/reading/git/repository-readers.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { mapOrdered } from '../../shared/time/map-ordered.ts'
import type { HostReaders } from '../store/catalog/host-readers.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'

export type AskReadersPorts = {
  catalog: Pick<InstallCatalog, 'libraries'>
  readers: HostReaders
  /** True for a library about which its host decides. */
  isDecidedByHost(id: string): boolean
  settings: Pick<SettingsStore, 'get'>
  gitHosts(): GitHosts
  gitToken(host: string): string | undefined
  appToken(address: RepoAddress, signal: AbortSignal): Promise<string | undefined>
  gitAccess: Omit<GitAccess, 'token'>
  log: Log
  now(): Date
}

const maxMs = 20_000
const parallel = 4
const minuteMs = 60_000

export type ReadersLoop = {
  /** Asks now, unless it is asking already. */
  askIfDue(): Promise<void>
}

export function readersLoop(ports: AskReadersPorts & { stopping: AbortSignal; noteDamage(error: unknown): void }): ReadersLoop {
  let asking = false
  return {
    async askIfDue() {
      if (asking || ports.stopping.aborted) return
      asking = true
      try {
        await askReaders(ports, ports.stopping)
      } catch (error) {
        if (ports.stopping.aborted) return
        ports.noteDamage(error)
        ports.log.error({ error }, 'git hosts cannot be asked who may read libraries')
      } finally {
        asking = false
      }
    },
  }
}

/** Asks the hosts of libraries who may read them, each library at most every `permissions.hostMinutes`. */
async function askReaders(ports: AskReadersPorts, signal: AbortSignal): Promise<void> {
  const decided = ports.catalog.libraries().filter(({ id }) => ports.isDecidedByHost(id))
  const keys = decided.map(({ id }) => libraryKey(parseLibraryId(id)))
  ports.readers.keepOnly(keys)
  const before = ports.now().getTime() - ports.settings.get('permissions.hostMinutes') * minuteMs
  const due = decided.filter((_, n) => (ports.readers.askedAt(keys[n] ?? '')?.getTime() ?? 0) <= before)
  for await (const _ of mapOrdered(due, parallel, (library) => askAbout(ports, library, signal))) signal.throwIfAborted()
}

async function askAbout(ports: AskReadersPorts, { id, sourceUrl }: InstallLibrary, signal: AbortSignal): Promise<void> {
  const { readers, gitToken, appToken, gitAccess, log, now } = ports
  const key = libraryKey(parseLibraryId(id))
  try {
    const address = parseRepoUrl(sourceUrl, ports.gitHosts())
    if (!tellsReaders(address)) throw new AppError('not_configured', 'Only GitHub and GitLab tell who may read a repository.')
    const token = gitToken(address.host.name) ?? (await appToken(address, signal))
    const options = { ...gitAccess, ...(token !== undefined && { token }), timeMs: maxMs, signal }
    const answer = await readRepositoryReaders(address, options)
    readers.asked(key, now(), { host: address.host.name, readers: answer })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    readers.asked(key, now())
    log.warn({ library: id, reason: error.message }, 'it is not known who may read a library')
  }
}
