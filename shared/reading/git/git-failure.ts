import { AppError } from '../../errors.ts'
import { certificateError } from '../../network/connections.ts'
import { allocationMb } from './git-access.ts'
import { type GitProxy, proxyFailure } from './git-proxy.ts'
import { printable } from './printable.ts'
import { type Remote, refusalError } from './probe-git.ts'

const connectionLost = new RegExp(
  [
    'Could not resolve',
    'Failed to connect',
    '[Cc]onnection (refused|reset|timed out|died)',
    'Recv failure',
    'returned error: (5\\d\\d|429)',
    'early EOF',
    'unexpected disconnect',
    'hung up',
    'RPC failed',
    'Operation too slow',
    'handshake',
  ].join('|'),
)

/** Turns the messages of a failed git into an error. Redacts secrets first, in case git repeats one. */
export function gitFailure(remote: Remote, messages: string, secrets: string[], proxy?: GitProxy): AppError {
  const { address } = remote
  const text = secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), messages)
  const cause = new Error(text)
  const output = text.replace(/^remote: .*$/gm, '')
  const { host } = new URL(address.baseUrl)
  const byProxy = proxy && proxyFailure(output, host, proxy, cause)
  if (byProxy) return byProxy
  const matches = (pattern: RegExp): boolean => pattern.test(output)
  if (matches(/No space left on device|unable to write file/)) return fullDisk(cause)
  if (matches(/certificate|verification failed/i)) return certificateError(host, cause)
  if (matches(/Authentication failed|could not read (Username|Password)|returned error: 40[13]/)) {
    return refusalError(address, remote.isPublic ? 'token_missing' : 'token_refused')
  }
  if (matches(/returned error: 4(04|10)/) || output.split('\n').some(isMissing)) return refusalError(address, 'not_found')
  if (matches(/find remote ref/)) {
    return new AppError('tag_not_found', 'The branch or tag was removed while it was fetched.', { cause, transient: true })
  }
  if (matches(/Needed a single revision|expected commit type/)) {
    return new AppError('tag_not_found', 'The tag does not point to a commit.', { cause })
  }
  if (matches(/attempting to allocate \d+ over limit/)) {
    return new AppError('library_too_large', `${address.webUrl} holds an object that unpacks to more than ${allocationMb} MB.`, {
      cause,
    })
  }
  if (matches(connectionLost)) {
    return new AppError('internal_error', `The connection to ${host} failed while ${address.webUrl} was fetched.`, {
      cause,
      transient: true,
    })
  }
  const line = output.split('\n').findLast((words) => /^(fatal|error):/.test(words)) ?? 'it gave no reason'
  return new AppError('internal_error', `git could not read ${address.webUrl}: ${printable(line)}`, { cause })
}

/** `repository '…' not found`, in time linear in the line. */
function isMissing(line: string): boolean {
  const name = line.indexOf('repository ')
  return name >= 0 && line.includes(' not found', name + 'repository '.length)
}

export const fullDisk = (cause: unknown): AppError =>
  new AppError('internal_error', 'The disk of this server is full, or cannot be written.', { cause })
