import { lstat, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Clones } from '../../shared/indexing/clones.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import { type OpenRepositoryPorts, openRepository } from '../../shared/indexing/open-repository.ts'
import { fileUrl } from '../../shared/reading/file-url.ts'
import { findRef } from '../../shared/reading/git/remote-refs.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import { fileSize } from '../../shared/text/figures.ts'
import { maxManifestBytes } from './parse-yaml.ts'

export type FollowedFile = { repository: string; branch: string | undefined; path: string | undefined }

export type FetchManifestPorts = OpenRepositoryPorts & { clones: Pick<Clones, 'make' | 'discard'>; limits: Limits }

/** The file at a commit, or only the commit if that is `seen`. */
export type FetchedManifest = { commit: string; file?: { text: string; url: string } }

const names = ['carrel.yaml', 'repos.yaml']
const limits = { cloneBytes: 200 * 2 ** 20, files: 100_000, timeMs: 2 * 60_000 }
const silent = { log: () => undefined, stage: () => undefined }

/**
 * Reads the file of a followed repository. One request tells whether there is a new commit. Throws not_found, payload_too_large, validation_error,
 * and what `openRepository` and `fetch` of the source throw.
 */
export async function fetchManifest(
  ports: FetchManifestPorts,
  { repository, branch, path }: FollowedFile,
  seen: string | undefined,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const clone = { ...ports.limits.clone, ...limits }
  const limited = { ...ports, limits: { ...ports.limits, clone } }
  const { webUrl } = parseRepoUrl(repository, ports.gitHosts())
  const source = await openRepository(limited, { repoUrl: repository, anonymous: false }, silent, signal)
  // The new name may belong to somebody else.
  if (source.url !== webUrl)
    throw new AppError('validation_error', `${webUrl} has moved to ${source.url}. Follow that address if it is yours.`)
  const { commit } = findRef(source, branch)
  if (commit === seen) return { commit }
  const into = await ports.clones.make('gitops')
  try {
    const tree = await source.fetch({ ref: branch, into, signal })
    const file = await readManifestFile(tree.dir, path, webUrl)
    return { commit: tree.commit, file: { text: file.text, url: fileUrl(source.files, tree.commit, file.path) } }
  } finally {
    await ports.clones.discard(into)
  }
}

async function readManifestFile(dir: string, path: string | undefined, webUrl: string): Promise<{ path: string; text: string }> {
  const candidates = path === undefined ? names : [path]
  const root = await realpath(dir)
  const found: string[] = []
  for (const name of candidates) if (await isPlainFile(root, name)) found.push(name)
  const [name, other] = found
  if (name === undefined) throw new AppError('not_found', `${webUrl} has no file ${candidates.join(' or ')}.`)
  if (other !== undefined)
    throw new AppError('validation_error', `${webUrl} has ${name} and ${other}. Delete one of them, or name one in gitops.path.`)
  const { size } = await lstat(join(root, name))
  if (size > maxManifestBytes)
    throw new AppError('payload_too_large', `${name} is larger than ${fileSize(maxManifestBytes)}. Nothing was changed.`)
  const bytes = await readFile(join(root, name))
  try {
    return { path: name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    throw new AppError('validation_error', `${name} is not UTF-8. Nothing was changed.`, { cause: error })
  }
}

/** A link, also that of a folder above, may lead to any file on this machine. */
async function isPlainFile(root: string, name: string): Promise<boolean> {
  const path = join(root, name)
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isFile() === true && (await realpath(path)) === path
}
