import { AppError } from '../../shared/errors.ts'
import { projectFileNames, readProjectFile } from '../../shared/reading/discover/read-project-file.ts'
import { type GitAccess, networkOf } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { type HostFiles, openHostFiles } from '../../shared/reading/git/host-files.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'

export type ReadWishPorts = { gitHosts(): GitHosts; gitAccess: Omit<GitAccess, 'token'> }

/** A larger project file is ignored, as it is when a library is indexed. */
const maxFileBytes = 256 * 1024

/**
 * True if the project file of the default branch of a public repository says `"disallowIndexing": true`. A file that is too large or no JSON
 * object says nothing. Throws provider_unavailable, timeout, validation_error for a redirect to another host.
 */
export async function disallowsIndexing(
  { gitHosts, gitAccess }: ReadWishPorts,
  sourceUrl: string,
  timeMs: number,
): Promise<boolean> {
  const address = parseRepoUrl(sourceUrl, gitHosts())
  const files = await openHostFiles(networkOf(address, gitAccess), { bytes: maxFileBytes, timeMs })
  try {
    return await readWish(files, address)
  } finally {
    files.close()
  }
}

/** The first project file that exists is the one that is read. */
async function readWish(files: HostFiles, address: RepoAddress): Promise<boolean> {
  for (const name of projectFileNames) {
    const bytes = await files.read({ address, commit: 'HEAD', path: name }).catch(emptyIfTooLarge)
    if (bytes !== undefined) return readProjectFile(bytes, name).settings.disallowIndexing === true
  }
  return false
}

function emptyIfTooLarge(error: unknown): Buffer {
  if (error instanceof AppError && error.code === 'payload_too_large') return Buffer.alloc(0)
  throw error
}
