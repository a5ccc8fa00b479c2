import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import type { Network } from '../../network/network.ts'
import { limitSize } from '../../text/figures.ts'
import { gitRequest } from './git-request.ts'
import { rawUrl } from './platform-paths.ts'
import { statusError } from './remote.ts'
import type { RepoAddress } from './repo-address.ts'

/** A file of a repository, at a commit. */
export type HostFile = { address: RepoAddress; commit: string; path: string }

/** Single files of public repositories, read over HTTP without git. All reads together have one time limit. */
export type HostFiles = {
  /**
   * Undefined if there is no such file, or the host does not show it to everyone. Throws payload_too_large, validation_error for a redirect to
   * another host, provider_unavailable, timeout.
   */
  read(file: HostFile): Promise<Buffer | undefined>
  close(): void
}

const maxRedirects = 2
const absent = [401, 403, 404, 410]

export async function openHostFiles(network: Network, limits: { bytes: number; timeMs: number }): Promise<HostFiles> {
  const connections = await openConnections(network, limits.timeMs)
  const signal = AbortSignal.timeout(limits.timeMs)
  const request = ({ address, path }: HostFile, url: string) => {
    const error = () =>
      new AppError('payload_too_large', `${path} of ${address.webUrl} is larger than ${limitSize(limits.bytes)}.`, {
        fields: { limitBytes: limits.bytes },
      })
    return gitRequest(url, { connections, headers: {}, signal, limit: { bytes: limits.bytes, error } })
  }
  return {
    async read(file) {
      try {
        let url = rawUrl(file.address, file.commit, file.path)
        if (url === undefined) return undefined
        for (let redirects = 0; ; redirects++) {
          const { status, body, location, contentType, retryAfter } = await request(file, url)
          if (status === 200) return body
          if (absent.includes(status)) return undefined
          if (status < 300 || status > 399 || location === undefined)
            throw statusError(new URL(url).host, { status, words: '', retryAfter }, contentType)
          url = redirectTarget(file, url, location)
          if (redirects === maxRedirects) throw redirected(file, 'more than twice')
        }
      } catch (error) {
        if (!signal.aborted) throw error
        const message = `The host of ${file.address.webUrl} did not respond within ${limits.timeMs / 1000} s.`
        throw new AppError('timeout', message, { retry: 'limited', cause: error })
      }
    },
    close: () => connections.close(),
  }
}

/** A GitHub server redirects to a path or, if it isolates subdomains, to `raw.` and its name. */
function redirectTarget(file: HostFile, from: string, location: string): string {
  const url = URL.parse(location, from)
  const { protocol, host } = new URL(file.address.baseUrl)
  const isOwn = url?.protocol === protocol && (url.host === host || url.host === `raw.${host}`) && !url.username && !url.password
  if (!isOwn) throw redirected(file, 'to another host')
  return url.href
}

const redirected = ({ address, path }: HostFile, where: string): AppError =>
  new AppError('validation_error', `${path} of ${address.webUrl} redirects ${where}, which is not followed.`)
