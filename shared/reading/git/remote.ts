import { AppError, type ErrorCode } from '../../errors.ts'
import { retryAfterMs } from '../../network/retry-after-ms.ts'
import { tokenSetting } from '../../schemas/git-host.ts'
import type { GitAccess } from './git-access.ts'
import { hostSays } from './host-words.ts'
import type { RemoteRefs } from './remote-refs.ts'
import type { RepoAddress } from './repo-address.ts'

export const tooManyRequests = 429

/** A repository as its host describes it, without a clone. */
export type Remote = RemoteRefs & {
  /** The address that responded: the new one if `moved`. */
  address: RepoAddress
  moved: boolean
  /** Readable without a token. */
  isPublic: boolean
}

/** The reason why a host does not show a repository. Hosts do not distinguish private and missing repositories. */
export type Refusal = 'token_missing' | 'token_refused' | 'not_found'

export type ProbeOptions = GitAccess & {
  timeMs: number
  signal: AbortSignal
  /** Requests a token if `token` is absent and the host refuses without one. */
  requestToken?(): Promise<string | undefined>
}

export function refusalError({ webUrl, host }: RepoAddress, refused: Refusal, words = ''): AppError {
  const setting = tokenSetting(host.name)
  const fail = (code: ErrorCode, why: string) => new AppError(code, `${why}${hostSays(words)}`)
  switch (refused) {
    case 'token_missing':
      return fail('access_denied', `${webUrl} does not exist or is private; to read a private repository set ${setting}.`)
    case 'token_refused':
      return fail('access_denied', `${webUrl} is not public, and its host refused the token in ${setting}.`)
    case 'not_found':
      return fail('not_found', `${webUrl} does not exist, or the token in ${setting} may not read it.`)
  }
}

export type BadStatus = { status: number; words: string; retryAfter?: string | undefined }

export const statusError = (host: string, { status, words, retryAfter }: BadStatus, cause?: unknown): AppError =>
  new AppError('provider_unavailable', `The host ${host} responded with status ${status}.${hostSays(words)}`, {
    cause,
    retry: status >= 500 || status === tooManyRequests ? 'limited' : 'never',
    retryAfterMs: retryAfterMs(retryAfter, new Date()),
  })
