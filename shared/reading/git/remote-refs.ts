import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { excerpt } from '../../text/excerpt.ts'
import { similarNames } from '../../text/similar-names.ts'
import { ancestors } from '../discover/selection.ts'
import { hostRefusal, hostWords } from './host-words.ts'

/** Branches and tags of a remote: full ref name (`refs/heads/…`, `refs/tags/…`) → commit id, with tags peeled. */
export type RemoteRefs = {
  refs: Map<string, string>
  /** Full name of the default branch; undefined if the remote names none and none is likely. */
  defaultRef: string | undefined
}

export type RefFound = {
  /** Full name: `refs/heads/main`. */
  ref: string
  /** Short name: `main`. */
  name: string
  commit: string
}

type Packet = string | null
type Packets = AsyncIterable<Packet> | Iterable<Packet>

const maxListedNames = 10
const maxPackets = 200_000
const sliceBytes = 2 ** 16
const objectId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const refName = /^refs\/(?:heads|tags)\/[^\s\u2800~^:?*[\\\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]{1,250}$/u

/**
 * Finds a branch or tag by its short name, its full name, or with `~` for `/` as in version names; without a name, or as HEAD, the default
 * branch. A tag wins over a branch of the same name, and is also found without the `v` before its number, or with one. Throws tag_not_found, which lists the
 * nearest and some other names, or no_snippets_found for an empty repository.
 */
export function findRef(remote: RemoteRefs, name?: string): RefFound {
  const { refs, defaultRef } = remote
  rejectEmpty(remote)
  if (name === undefined) {
    const commit = refs.get(defaultRef ?? '')
    if (defaultRef === undefined || commit === undefined) {
      throw new AppError('tag_not_found', `The repository has no default branch; choose one of its branches. ${listRefs(refs)}`)
    }
    return { ref: defaultRef, name: shortName(defaultRef), commit }
  }
  const remoteRef = refNamed(remote, name)
  if (!remoteRef) throw new AppError('tag_not_found', unknownRefs(remote, [name]))
  return remoteRef
}

function rejectEmpty({ refs }: RemoteRefs): void {
  if (refs.size === 0) throw new AppError('no_snippets_found', 'The repository is empty: it has no commit yet.')
}

function refNamed({ refs, defaultRef }: RemoteRefs, name: string): RefFound | undefined {
  const wanted = name.replaceAll('~', '/')
  const otherwise = wanted.startsWith('v') ? wanted.slice(1) : `v${wanted}`
  const isNumber = /^v?\d/.test(wanted)
  const candidates = [wanted, `refs/tags/${wanted}`, `refs/heads/${wanted}`, ...(isNumber ? [`refs/tags/${otherwise}`] : [])]
  for (const ref of name === 'HEAD' ? [...candidates, defaultRef] : candidates) {
    const commit = refs.get(ref ?? '')
    if (ref !== undefined && commit !== undefined) return { ref, name: shortName(ref), commit }
  }
  return undefined
}

/** The longest branch or tag that a path of an address begins with, as the path spells it. Undefined if there is none. Throws no_snippets_found. */
export function refAtStart(remote: RemoteRefs, path: string): string | undefined {
  rejectEmpty(remote)
  const { refs } = remote
  const prefixes = ancestors(path).reverse()
  const isExact = (prefix: string) => refs.has(`refs/tags/${prefix}`) || refs.has(`refs/heads/${prefix}`)
  return prefixes.find(isExact) ?? prefixes.find((prefix) => refNamed(remote, prefix))
}

/** Says that a repository does not have these branches or tags, and which names are near. */
export function unknownRefs({ refs }: RemoteRefs, names: string[]): string {
  const shortNames = [...new Set([...refs.keys()].map(shortName))]
  const missing = names.map((name) => `"${excerpt(name)}"`).join(' or ')
  const nearest = new Set(names.flatMap((name) => similarNames(name.replaceAll('~', '/'), shortNames)))
  return [
    `The repository has no branch or tag ${missing}.`,
    ...(nearest.size > 0 ? [`Did you mean ${[...nearest].join(' or ')}?`] : []),
    listRefs(refs),
  ].join(' ')
}

/**
 * Splits the body of a git response into packets, `null` for a flush or delimiter, and lets other work run meanwhile. Throws if the body is not
 * packets, has more than 200,000 of them, or has an error packet from the host, whose words are redacted.
 */
export async function* readPackets(body: Buffer, secrets: string[]): AsyncGenerator<Packet> {
  let packets = 0
  let sliceEnd = sliceBytes
  for (let at = 0; at < body.length; ) {
    const digits = body.toString('latin1', at, at + 4)
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
    if (length < 0 || length === 3 || at + length > body.length)
      throw new AppError('provider_unavailable', 'The host did not respond in the git protocol.')
    packets += 1
    if (packets > maxPackets) {
      throw new AppError(
        'library_too_large',
        `The repository lists more branches and tags than can be read (${maxPackets.toLocaleString('en')}).`,
      )
    }
    const line = length < 4 ? null : body.toString('utf8', at + 4, at + length).replace(/\n$/, '')
    if (line?.startsWith('ERR ')) throw hostRefusal(hostWords(line.slice(4), secrets))
    yield line
    at += Math.max(length, 4)
    if (at > sliceEnd) {
      sliceEnd = at + sliceBytes
      await setImmediate()
    }
  }
}

/** Requests only HEAD, branches and tags (protocol 2): hosts have hundreds of thousands of other refs. */
export function lsRefsRequest(capabilities: string[]): string {
  const format = capabilities.find((capability) => capability.startsWith('object-format='))
  const unborn = capabilities.some((capability) => /^ls-refs=.*\bunborn\b/.test(capability)) ? ['unborn'] : []
  const options = ['peel', 'symrefs', ...unborn, 'ref-prefix HEAD', 'ref-prefix refs/heads/', 'ref-prefix refs/tags/']
  return `${['command=ls-refs', ...(format === undefined ? [] : [format])].map(packet).join('')}0001${options.map(packet).join('')}0000`
}

/** Reads the response to `ls-refs`. */
export async function readListedRefs(packets: Packets): Promise<RemoteRefs> {
  const refs = new Map<string, string>()
  let head: string | undefined
  let headTarget: string | undefined
  for await (const line of packets) {
    const [id = '', name = '', ...attributes] = (line ?? '').split(' ')
    const commit = attribute(attributes, 'peeled:') ?? id
    if (name === 'HEAD') {
      head ??= commit
      headTarget ??= attribute(attributes, 'symref-target:')
    }
    keep(refs, name, commit)
  }
  return { refs, defaultRef: findDefault(refs, head, headTarget) }
}

/** Reads the refs that a server of protocol 0 or 1 advertises: all refs, with capabilities after the NUL of the first one. */
export async function readAdvertisedRefs(packets: Packets): Promise<RemoteRefs> {
  const refs = new Map<string, string>()
  let head: string | undefined
  let capabilities: string | undefined
  for await (const line of packets) {
    if (line === null || line.startsWith('# service=')) continue
    const [entry = '', behind = ''] = line.split('\0')
    capabilities ??= behind
    const [id = '', name = ''] = entry.split(' ')
    if (name === 'HEAD') head ??= id
    keep(refs, name.replace(/\^\{\}$/, ''), id)
  }
  return { refs, defaultRef: findDefault(refs, head, attribute((capabilities ?? '').split(' '), 'symref=HEAD:')) }
}

function keep(refs: Map<string, string>, name: string, id: string): void {
  if (refName.test(name) && objectId.test(id)) refs.set(name, id)
}

function findDefault(refs: Map<string, string>, head: string | undefined, headTarget: string | undefined): string | undefined {
  const likely = [headTarget, 'refs/heads/main', 'refs/heads/master', ...refs.keys()]
  return likely.find((ref) => ref !== undefined && refs.has(ref) && (ref === headTarget || refs.get(ref) === head))
}

const attribute = (words: string[], prefix: string): string | undefined =>
  words.find((word) => word.startsWith(prefix))?.slice(prefix.length)

const packet = (line: string): string => `${(line.length + 5).toString(16).padStart(4, '0')}${line}\n`
const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

function listRefs(refs: Map<string, string>): string {
  const list = (word: string, prefix: string): string => {
    const names = [...refs.keys()].filter((ref) => ref.startsWith(prefix)).map(shortName)
    const more = names.length - maxListedNames
    if (names.length === 0) return `no ${word}`
    return `${word} ${names.slice(-maxListedNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  }
  return `It has ${list('branches', 'refs/heads/')}; ${list('tags', 'refs/tags/')}.`
}
