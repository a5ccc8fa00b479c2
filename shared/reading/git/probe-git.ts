import { AppError } from '../../errors.ts'
import { type Connections, openConnections } from '../../network/connections.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import { excerpt } from '../../text/excerpt.ts'
import { authorization, networkOf, tokenSecrets } from './git-access.ts'
import { type GitResponse, gitRequest } from './git-request.ts'
import { hostWords } from './host-words.ts'
import { probeSsh } from './probe-ssh.ts'
import {
  type BadStatus,
  type ProbeOptions,
  type Refusal,
  type Remote,
  refusalError,
  statusError,
  tooManyRequests,
} from './remote.ts'
import { lsRefsRequest, readAdvertisedRefs, readListedRefs, readPackets } from './remote-refs.ts'
import { movedTo, type RepoAddress } from './repo-address.ts'

/** `words` are those of the host, if it gives a reason. */
type Refused = { refused: Refusal; words?: string }

/** Responses after which a token may help: hosts hide private repositories and rate-limit anonymous requests. */
const refusals = [401, 403, 404, 410, tooManyRequests]

type Connection = { connections: Connections; headers: Record<string, string>; secrets: string[]; signal: AbortSignal }

/**
 * Requests a repository's branches and tags, first without the token, then with it if the host refuses. Follows one redirect to a repository of
 * the same host. Throws if the host cannot be reached, sends an invalid response or redirects elsewhere.
 */
export async function probeGit(address: RepoAddress, options: ProbeOptions): Promise<{ remote: Remote } | Refused> {
  if (isSsh(address.cloneUrl))
    return options.token === undefined ? { refused: 'token_missing' } : { remote: await probeSsh(address, options) }
  const connections = await openConnections(networkOf(address, options), options.timeMs)
  const tooSlow = AbortSignal.timeout(options.timeMs)
  const signal = AbortSignal.any([options.signal, tooSlow])
  try {
    const anonymous = await probe(address, { connections, headers: {}, secrets: [], signal })
    if ('remote' in anonymous) return { remote: { ...anonymous.remote, isPublic: true } }
    const token = options.token ?? (await options.requestToken?.())
    if (token === undefined) return refuse(address, anonymous, 'token_missing')
    const headers = { authorization: authorization(address, token) }
    const identified = await probe(address, { connections, headers, secrets: tokenSecrets(address, token), signal })
    if ('remote' in identified) return { remote: { ...identified.remote, isPublic: false } }
    return refuse(address, identified, identified.status === 401 ? 'token_refused' : 'not_found')
  } catch (error) {
    if (!tooSlow.aborted || options.signal.aborted) throw error
    const message = `The host of ${address.webUrl} did not respond within ${options.timeMs / 1000} s.`
    throw new AppError('timeout', message, { retry: 'limited', cause: error })
  } finally {
    connections.close()
  }
}

/** `probeGit` that throws access_denied or not_found with advice for the operator if the host refuses. */
export async function openRemote(address: RepoAddress, options: ProbeOptions): Promise<Remote> {
  const probed = await probeGit(address, options)
  if ('refused' in probed) throw refusalError(address, probed.refused, probed.words)
  return probed.remote
}

function refuse({ baseUrl }: RepoAddress, answer: BadStatus, refused: Refusal): Refused {
  if (answer.status === tooManyRequests) throw statusError(new URL(baseUrl).host, answer)
  return answer.words === '' ? { refused } : { refused, words: answer.words }
}

type ProbeResult = { remote: Omit<Remote, 'isPublic'> } | BadStatus

async function probe(address: RepoAddress, connection: Connection): Promise<ProbeResult> {
  const first = await readInfo(address, connection)
  if (first.location === undefined || first.status < 300 || first.status > 399)
    return readAnswer(address, first, connection, false)
  const target = movedTo(address, first.location)
  if (target === undefined) {
    const url = URL.parse(first.location, address.cloneUrl)
    if (url?.origin === new URL(address.baseUrl).origin) return { status: 404, words: '' }
    throw new AppError(
      'validation_error',
      `${address.webUrl} redirects to ${whereTo(url)}, which is not followed. Send the repository's own address.`,
    )
  }
  const second = await readInfo(target, connection)
  if (second.status >= 300 && second.status <= 399) {
    throw new AppError(
      'validation_error',
      `${address.webUrl} redirects more than once, which is not followed. Send the repository's own address.`,
    )
  }
  return readAnswer(target, second, connection, true)
}

/** The part of an address that holds no secrets. */
function whereTo(url: URL | null): string {
  if (url === null) return 'an address that cannot be read'
  return /^https?:$/.test(url.protocol) ? url.origin : `an address that begins with ${excerpt(url.protocol, 40)}`
}

const readInfo = ({ cloneUrl }: RepoAddress, { connections, headers, signal }: Connection): Promise<GitResponse> =>
  gitRequest(`${cloneUrl}/info/refs?service=git-upload-pack`, {
    connections,
    signal,
    headers: { ...headers, 'git-protocol': 'version=2' },
  })

async function readAnswer(
  address: RepoAddress,
  answer: GitResponse,
  connection: Connection,
  moved: boolean,
): Promise<ProbeResult> {
  const { host } = new URL(address.baseUrl)
  const { secrets } = connection
  if (refusals.includes(answer.status)) return badStatus(answer, secrets)
  if (answer.status !== 200) throw statusError(host, badStatus(answer, secrets))
  if (!answer.contentType.startsWith('application/x-git-upload-pack-advertisement')) {
    throw new AppError(
      'validation_error',
      `${address.webUrl} is not a git repository: its host returned something else (${answer.contentType || 'without a type'}).`,
    )
  }
  const packets = readPackets(answer.body, secrets)
  if (!isProtocol2(answer.body)) return { remote: { ...(await readAdvertisedRefs(packets)), address, moved } }
  const capabilities: string[] = []
  for await (const line of packets) if (line !== null) capabilities.push(line)
  const listed = await gitRequest(`${address.cloneUrl}/git-upload-pack`, {
    ...connection,
    headers: {
      ...connection.headers,
      'git-protocol': 'version=2',
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: lsRefsRequest(capabilities),
  })
  if (refusals.includes(listed.status)) return badStatus(listed, secrets)
  if (listed.status !== 200) throw statusError(host, badStatus(listed, secrets))
  return { remote: { ...(await readListedRefs(readPackets(listed.body, secrets))), address, moved } }
}

const isProtocol2 = (body: Buffer): boolean =>
  /^(?:.{4}# service=git-upload-pack\n?0000)?.{4}version 2(?:\n|[0-9a-f]{4})/.test(body.toString('latin1', 0, 100))

/**
 * The error of a status, with the words of a body in plain text, which git shows, too. The usual bodies of 401 and 404 give no
 * reason.
 */
function badStatus({ status, contentType, retryAfter, body }: GitResponse, secrets: string[]): BadStatus {
  const isReason = /^text\/plain\b/i.test(contentType) && status !== 401 && status !== 404
  return { status, retryAfter, words: isReason ? hostWords(body.toString(), secrets) : '' }
}
