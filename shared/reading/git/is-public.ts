import { AppError, isTransient } from '../../errors.ts'
import type { GitAccess } from './git-access.ts'
import { probeGit } from './probe-git.ts'
import type { RepoAddress } from './repo-address.ts'

/** True if a host shows a repository to everyone. A missing repository looks like a private one. Throws timeout, provider_unavailable. */
export async function isPublic(address: RepoAddress, access: GitAccess, timeMs: number): Promise<boolean> {
  const options = { ...access, timeMs, signal: new AbortController().signal }
  const probed = await probeGit(address, options).catch((error: unknown) => {
    if (!isTransient(error)) throw error
    throw new AppError(error.code, `${address.webUrl} cannot be checked now: ${error.message} Try again later.`, {
      cause: error,
    })
  })
  return !('refused' in probed)
}
