import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, type Retry } from '../../errors.ts'
import { type Network, trustedCertificates } from '../../network/network.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import { isFullDisk } from '../../system/full-disk.ts'
import { limitSize } from '../../text/figures.ts'
import type { Skipped } from '../discover/skipped.ts'
import type { Submodule } from '../discover/submodule.ts'
import type { BlobIds } from './blob-ids.ts'
import { checkoutTree } from './checkout-tree.ts'
import { type GitAccess, gitEnvironment, networkOf, tokenSecrets } from './git-access.ts'
import { fullDisk, gitFailure } from './git-failure.ts'
import { gitProxy } from './git-proxy.ts'
import type { Remote } from './remote.ts'
import { findRef } from './remote-refs.ts'
import { type GitRun, runGit } from './run-git.ts'
import { openSsh, type SshSession } from './ssh-session.ts'
import { submoduleUrls } from './submodule-urls.ts'

export type FetchLimits = {
  /** The limit for the packed download, and separately for the unpacked files. */
  cloneBytes: number
  files: number
  /** Larger files are skipped and reported. */
  fileBytes: number
  timeMs: number
  /** Time without progress. */
  idleMs: number
}

export type FetchOptions = GitAccess & {
  /** Branch or tag, as for `findRef`. */
  ref?: string
  /** An existing, empty folder. The caller deletes it. */
  into: string
  limits: FetchLimits
  signal: AbortSignal
  onProgress?(progress: { stage: string; percent: number }): void
}

export type FetchedTree = {
  /** Holds only the files of the repository; symbolic links stay as they are. */
  dir: string
  commit: string
  /** The date of the commit, ISO 8601. Undefined if it has none that can be read. */
  commitDate: string | undefined
  /** Short name of the branch or tag. */
  ref: string
  skipped: Skipped[]
  /** The ids of the files in `dir`; undefined if there are too many. */
  ids: BlobIds | undefined
  /** Paths of links, and of files that may be links. */
  links: string[]
  submodules: Submodule[]
}

const watchMs = 250
const packFolder = ['objects', 'pack']

/**
 * Fetches one commit of a repository over https or ssh with git: no history, no other branch, no LFS objects, submodules, hooks or filters.
 * Throws tag_not_found, library_too_large, timeout, access_denied, not_found, disk_full and provider_unavailable; transient if a retry may succeed.
 */
export async function fetchGit(remote: Remote, options: FetchOptions): Promise<FetchedTree> {
  const { into, limits } = options
  const { ref, name } = findRef(remote, options.ref)
  const gitDir = join(into, 'git')
  const dir = join(into, 'tree')
  const { webUrl, cloneUrl } = remote.address
  const proxy = isSsh(cloneUrl) ? undefined : gitProxy(remote.address, options)
  const secrets = [...tokenSecrets(remote.address, options.token), ...(proxy?.secrets ?? [])]
  const fail = (messages: string): AppError => gitFailure(remote, messages, secrets, proxy)
  const tooLong = new AbortController()
  const timer = setTimeout(
    () => tooLong.abort(timedOut(webUrl, `it took longer than ${limits.timeMs / 1000} s`, 'never')),
    limits.timeMs,
  )
  const signal = AbortSignal.any([options.signal, tooLong.signal])
  let ssh: SshSession | undefined
  try {
    await mkdir(dir)
    const network = networkOf(remote.address, options)
    const caBundle = network.caFile === undefined && !network.ca ? undefined : await writeCaBundle(into, network)
    const environment = (access: GitAccess): Record<string, string> => ({
      ...gitEnvironment(remote, access, { home: into, caBundle, idleMs: limits.idleMs }),
      GIT_DIR: gitDir,
      GIT_WORK_TREE: dir,
    })
    const env = environment({ env: options.env })
    const git = async (args: string[], run?: Partial<GitRun>): Promise<string> => {
      const out: Buffer[] = []
      const { ok, messages } = await runGit(args, { cwd: dir, env, signal, onOutput: (chunk) => out.push(chunk), ...run })
      if (!ok) throw fail(messages)
      return Buffer.concat(out).toString().trim()
    }
    await initRepository(gitDir)
    ssh = isSsh(cloneUrl) ? await openSsh(remote.address, options) : undefined
    await whileWatched(webUrl, join(gitDir, ...packFolder), limits, (watched, onAlive) => {
      const onMessage = (line: string): void => {
        onAlive()
        const [, stage, percent] = /^(?:remote: )?([A-Z][a-z ]+):\s+(\d{1,3})% \(/.exec(line) ?? []
        if (stage !== undefined) options.onProgress?.({ stage, percent: Number(percent) })
      }
      const fetch = ['fetch', '--progress', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', cloneUrl, ref]
      return git(fetch, { env: { ...environment(options), ...ssh?.env }, signal: AbortSignal.any([signal, watched]), onMessage })
    })
    const dated = await git(['rev-list', '--max-count=1', '--timestamp', 'FETCH_HEAD^{commit}'])
    const [seconds, commit = ''] = dated.split(' ')
    const { submodules, ...tree } = await checkoutTree(commit, { dir, env, limits, signal, fail })
    const addresses = submodules.length === 0 ? [] : await submoduleUrls(commit, cloneUrl, { cwd: dir, env, signal })
    // It holds one pack and few other files.
    await rm(gitDir, { recursive: true })
    const urls = new Map(addresses)
    return {
      dir,
      commit,
      commitDate: dateOf(seconds),
      ref: name,
      ...tree,
      submodules: submodules.map((path) => ({ path, url: urls.get(path) })),
    }
  } catch (error) {
    throw isFullDisk(error) ? fullDisk(error) : error
  } finally {
    clearTimeout(timer)
    await ssh?.close()
  }
}

/** A commit may hold any number as its date. */
function dateOf(seconds: string | undefined): string | undefined {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Makes an empty repository as `git init` does, without the cost of a process. */
async function initRepository(gitDir: string): Promise<void> {
  for (const folder of ['objects', 'refs']) await mkdir(join(gitDir, folder), { recursive: true })
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n')
}

/** Runs a download with its limits on size and on time without progress. */
async function whileWatched(
  webUrl: string,
  packDir: string,
  { cloneBytes, idleMs }: FetchLimits,
  download: (signal: AbortSignal, onAlive: () => void) => Promise<unknown>,
): Promise<void> {
  const late = new AbortController()
  let aliveAt = performance.now()
  const check = async (): Promise<void> => {
    if (performance.now() - aliveAt > idleMs) late.abort(timedOut(webUrl, `no progress for ${idleMs / 1000} s`, 'limited'))
    if ((await folderBytes(packDir)) > cloneBytes) late.abort(tooLarge(webUrl, cloneBytes))
  }
  const timer = setInterval(() => void check(), watchMs)
  try {
    await download(late.signal, () => {
      aliveAt = performance.now()
    })
    await check()
    late.signal.throwIfAborted()
  } finally {
    clearInterval(timer)
  }
}

const timedOut = (webUrl: string, why: string, retry: Retry): AppError =>
  new AppError('timeout', `Fetching ${webUrl} was stopped: ${why}.`, { retry })

const tooLarge = (webUrl: string, limitBytes: number): AppError =>
  new AppError('library_too_large', `${webUrl} is larger than ${limitSize(limitBytes)}.`)

async function folderBytes(dir: string): Promise<number> {
  const names = await readdir(dir).catch((): string[] => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(dir, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function writeCaBundle(into: string, access: Network): Promise<string> {
  const file = join(into, 'ca.pem')
  await writeFile(file, trustedCertificates(access).join('\n'))
  return file
}
