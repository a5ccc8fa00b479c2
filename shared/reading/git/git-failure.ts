import { AppError } from '../../errors.ts'
import { certificateError } from '../../network/connections.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import { redactSecrets } from '../../text/redact-secrets.ts'
import { allocationMb } from './git-access.ts'
import { type GitProxy, proxyFailure } from './git-proxy.ts'
import { hostRefusal, hostSays, hostWords, isTemporary } from './host-words.ts'
import { type Remote, refusalError, statusError } from './remote.ts'
import { sshFailure } from './ssh-session.ts'

const connectionLost = new RegExp(
  [
    'Could not resolve',
    'Failed to connect',
    '[Cc]onnection (refused|reset|timed out|died)',
    'Recv failure',
    'early EOF',
    'unexpected disconnect',
    'hung up',
    'RPC failed',
    'Operation too slow',
    'handshake',
  ].join('|'),
)

/** The git of the host stops, and the connection is lost for that reason. */
const hostAborted = /\bfatal: |\baborting due to\b|\bdied with error\b/

/** Turns the messages of a failed git into an error. Redacts secrets first, in case git repeats one. */
export function gitFailure(
  remote: Pick<Remote, 'address' | 'isPublic'>,
  messages: string,
  secrets: string[],
  proxy?: GitProxy,
): AppError {
  const { address } = remote
  const text = redactSecrets(messages, secrets)
  const cause = new Error(text)
  const [, reason] = /^fatal: remote error: ([\s\S]*)/m.exec(text) ?? []
  if (reason !== undefined) return hostRefusal(hostWords(reason, secrets), cause)
  const output = text.replace(/^remote: .*$/gm, '')
  const words = hostWords(remoteLines(text), secrets)
  const { host } = new URL(address.baseUrl)
  const matches = (pattern: RegExp): boolean => pattern.test(output)
  const bySsh = isSsh(address.cloneUrl) ? sshFailure(address, output, secrets) : undefined
  if (bySsh) return bySsh
  if (matches(/Unable to get pack file|http-fetch/)) {
    const message = `The host of ${address.webUrl} sends parts of the repository from another address, which is not followed.`
    return new AppError('validation_error', message, { cause })
  }
  const byProxy = proxy && proxyFailure(output, host, proxy, cause)
  if (byProxy) return byProxy
  if (matches(/No space left on device|unable to write file/)) return fullDisk(cause)
  if (matches(/certificate|verification failed/i)) return certificateError(host, cause)
  const [, status = ''] = /returned error: (\d{3})/.exec(output) ?? []
  if (matches(/Authentication failed|could not read (Username|Password)/) || status === '401' || status === '403') {
    return refusalError(address, remote.isPublic ? 'token_missing' : 'token_refused', words)
  }
  if (status === '404' || status === '410' || output.split('\n').some(isMissing))
    return refusalError(address, 'not_found', status === '410' ? words : '')
  if (matches(/find remote ref/)) {
    return new AppError('tag_not_found', 'The branch or tag was removed while it was fetched.', { cause, retry: 'limited' })
  }
  if (matches(/Needed a single revision|expected commit type/)) {
    return new AppError('tag_not_found', 'The tag does not point to a commit.', { cause })
  }
  if (matches(/attempting to allocate \d+ over limit/)) {
    return new AppError('library_too_large', `${address.webUrl} holds an object that unpacks to more than ${allocationMb} MB.`, {
      cause,
    })
  }
  if (status !== '') return statusError(host, { status: Number(status), words }, cause)
  if (hostAborted.test(words)) {
    const message = `The host ended the transfer of ${address.webUrl}: "${words}".`
    return new AppError('provider_unavailable', message, { cause, retry: isTemporary(words) ? 'limited' : 'never' })
  }
  // A host that gives a reason and closes the connection would do so again.
  if (matches(connectionLost) && (words === '' || matches(/curl \d/))) {
    const message = `The connection to ${host} failed while ${address.webUrl} was fetched.${hostSays(words)}`
    return new AppError('provider_unavailable', message, { cause, retry: 'limited' })
  }
  const line = output.split('\n').findLast((words) => /^(fatal|error):/.test(words)) ?? 'it gave no reason'
  const message = `git could not read ${address.webUrl}: ${hostWords(line, secrets)}.${hostSays(words)}`
  return new AppError('provider_unavailable', message, { cause, retry: isTemporary(words) ? 'limited' : 'never' })
}

const isProgress = /^(?:[A-Z][a-z ]+: +\d+(?:$|%|, done)|Total \d)/

/** The lines in which the host does not report its progress. */
function remoteLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.startsWith('remote: '))
  return lines
    .map((line) => line.slice('remote: '.length).trim())
    .filter((line) => !isProgress.test(line))
    .join(' ')
}

/** `repository '…' not found`, in time linear in the line. */
function isMissing(line: string): boolean {
  const name = line.indexOf('repository ')
  return name >= 0 && line.includes(' not found', name + 'repository '.length)
}

export const fullDisk = (cause: unknown): AppError =>
  new AppError('disk_full', 'The disk of this server is full, or cannot be written.', { cause })
