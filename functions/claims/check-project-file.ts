import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { decodeText } from '../../shared/reading/discover/decode-text.ts'
import { projectFileNames } from '../../shared/reading/discover/read-project-file.ts'
import { type GitAccess, networkOf } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { type HostFiles, openHostFiles } from '../../shared/reading/git/host-files.ts'
import { probeGit } from '../../shared/reading/git/probe-git.ts'
import type { Remote } from '../../shared/reading/git/remote.ts'
import { findRef, type RefFound } from '../../shared/reading/git/remote-refs.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import { excerpt } from '../../shared/text/excerpt.ts'

export type CheckProjectFilePorts = {
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** Time limit of one request to the git host, and of all reads of files together. */
  probeMs: number
}

/** The expected fields of the project file, and the repository of the library. `branch` is the branch that is indexed. */
export type Expected = { url: string; publicKey: string; sourceUrl: string; branch: string }

/** The field `reason` of the error of a claim that is not proven. */
export type ClaimReason =
  | 'repository_not_found'
  | 'file_not_found'
  | 'other_branch'
  | 'wrong_key'
  | 'wrong_library'
  | 'not_json'
  | 'too_large'
  | 'redirected'

type Found = { name: string; problem?: { reason: ClaimReason; text: string } }

const maxFileBytes = 2 ** 20
/** Other branches that are read to find a key that was put into the wrong one. */
const maxBranches = 5

const ClaimFields = z.object({ url: z.string().optional(), public_key: z.string().optional() })

/**
 * Reads the project file of the default branch from the host of the library. Throws not_configured, with a `reason`, unless it has the
 * key and the address of the library; provider_unavailable and timeout if the host does not respond.
 */
export async function checkProjectFile(ports: CheckProjectFilePorts, expected: Expected): Promise<void> {
  const { gitAccess, gitHosts, probeMs: timeMs } = ports
  const address = parseRepoUrl(expected.sourceUrl, gitHosts())
  const probed = await probeGit(address, { ...gitAccess, timeMs, signal: new AbortController().signal })
  if ('refused' in probed) throw unproven('repository_not_found', `${address.webUrl} does not exist or is not public.`)
  const { remote } = probed
  const head = defaultOf(remote)
  const files = await openHostFiles(networkOf(address, gitAccess), { bytes: maxFileBytes, timeMs })
  try {
    const found = await findFile(files, remote, head, expected)
    const problem = found === undefined ? missing(remote, head) : found.problem
    if (problem === undefined) return
    const other = problem.reason === 'file_not_found' || problem.reason === 'wrong_key' ? await elsewhere() : undefined
    if (other === undefined) throw unproven(problem.reason, problem.text)
    const text = `The key is in the branch ${excerpt(other)}. Put it into the default branch, ${excerpt(head.name)}.`
    throw unproven('other_branch', text)

    async function elsewhere(): Promise<string | undefined> {
      const branches = otherBranches(remote, head, expected.branch)
      const isThere = await Promise.all(
        branches.map(async (branch) => {
          const file = await findFile(files, remote, branch, expected).catch(() => undefined)
          return file !== undefined && file.problem === undefined
        }),
      )
      return branches[isThere.indexOf(true)]?.name
    }
  } finally {
    files.close()
  }
}

/** The first project file of a branch. Undefined if it has none. */
async function findFile(
  files: HostFiles,
  { address }: Remote,
  { commit }: RefFound,
  expected: Expected,
): Promise<Found | undefined> {
  for (const name of projectFileNames) {
    const bytes = await files.read({ address, commit, path: name }).catch((error: unknown) => Promise.reject(unreadable(error)))
    if (bytes === undefined) continue
    const problem = problemOf(bytes, name, expected)
    return { name, ...(problem && { problem }) }
  }
  return undefined
}

/** The errors that a maintainer can mend in the repository. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === 'payload_too_large') return unproven('too_large', error.message, error)
  return error.code === 'validation_error' ? unproven('redirected', error.message, error) : error
}

function problemOf(bytes: Buffer, name: string, { url, publicKey }: Expected): Found['problem'] {
  const fields = readFields(bytes)
  if (fields === undefined) return { reason: 'not_json', text: `What the host sent for ${name} is not a JSON object.` }
  if (fields.public_key === undefined) return { reason: 'wrong_key', text: `${name} has no public_key.` }
  if (fields.url === undefined || !isSameAddress(fields.url, url)) {
    const actual = fields.url === undefined ? 'missing' : `"${excerpt(fields.url)}"`
    return { reason: 'wrong_library', text: `The url in ${name} is ${actual}; it must be "${url}".` }
  }
  if (fields.public_key === publicKey) return undefined
  return { reason: 'wrong_key', text: `The public_key in ${name} is another one. Copy the key of this claim.` }
}

function readFields(bytes: Buffer): z.infer<typeof ClaimFields> | undefined {
  const text = decodeText(bytes)
  if (typeof text !== 'string') return undefined
  try {
    return ClaimFields.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Ids are compared without case. */
const isSameAddress = (sent: string, url: string): boolean => sent.trim().replace(/\/$/, '').toLowerCase() === url.toLowerCase()

function defaultOf(remote: Remote): RefFound {
  try {
    return findRef(remote)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw unproven('file_not_found', error.message, error)
  }
}

function otherBranches(remote: Remote, head: RefFound, indexed: string): RefFound[] {
  const branches = [...remote.refs].flatMap(([ref, commit]): RefFound[] =>
    ref.startsWith('refs/heads/') && ref !== head.ref ? [{ ref, commit, name: ref.slice('refs/heads/'.length) }] : [],
  )
  const first = branches.filter(({ name }) => name === indexed)
  return [...first, ...branches.filter(({ name }) => name !== indexed)].slice(0, maxBranches)
}

const missing = ({ address }: Remote, { name }: RefFound): NonNullable<Found['problem']> => ({
  reason: 'file_not_found',
  text: `${address.webUrl} has no ${projectFileNames.join(' and no ')} in the root of its default branch, ${excerpt(name)}.`,
})

const unproven = (reason: ClaimReason, message: string, cause?: unknown): AppError =>
  new AppError('not_configured', message, { cause, fields: { reason } })
