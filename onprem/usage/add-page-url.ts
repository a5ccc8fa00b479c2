import { AppError } from '../../shared/errors.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'

/** The page of the git host that adds a file to the repository of a library. Null if the settings name no such host, or its branch is not known. */
export function addPageUrl(
  gitHosts: GitHosts,
  { sourceUrl, branch }: Pick<InstallLibrary, 'sourceUrl' | 'branch'>,
): string | null {
  if (sourceUrl === '' || branch === '') return null
  const ref = branch.split('/').map(encodeURIComponent).join('/')
  try {
    const { webUrl, platform } = parseRepoUrl(sourceUrl, gitHosts)
    return platform === 'gitlab' ? `${webUrl}/-/new/${ref}` : `${webUrl}/new/${ref}`
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
