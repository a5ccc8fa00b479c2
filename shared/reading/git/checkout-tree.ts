import { AppError } from '../../errors.ts'
import { limitSize } from '../../text/figures.ts'
import { documentKind } from '../discover/document-kind.ts'
import type { Skipped } from '../discover/skipped.ts'
import { maxTextLink } from '../discover/text-target.ts'
import { type BlobIds, linkId } from './blob-ids.ts'
import { runGit } from './run-git.ts'

export type CheckoutLimits = { cloneBytes: number; files: number; fileBytes: number }

type Checkout = {
  dir: string
  env: Record<string, string>
  limits: CheckoutLimits
  signal: AbortSignal
  fail(messages: string): AppError
}

type CheckedOut = {
  skipped: Skipped[]
  ids: BlobIds | undefined
  /** Paths of links, and of files that may be links. */
  links: string[]
  /** Paths of submodules. */
  submodules: string[]
}

const maxNameBytes = 255
const maxPathBytes = 2_000
const maxEntryBytes = 1_000_000
const maxPathsBytes = 64 * 2 ** 20
const shownPathChars = 300
/** Ids of more files would take tens of megabytes. */
const maxIds = 200_000
/** Links and submodules that are listed. */
const maxLinks = 10_000
const maxTextLinks = 1_000
const maxSubmodules = 1_000
const linkMode = '120000'
const fullDisk = /No space left on device$/

/**
 * Writes the files of a commit below `dir`. Lists the tree first, so that a tree above the limits (a few kilobytes can name 10¹⁰ files) is
 * rejected before anything is written. Files that must not or cannot be written are skipped and reported (of files that are too large,
 * documents only). Submodules and `.gitattributes` count towards the limits but are not written, so nothing can request a filter or encoding.
 * Also returns the blob ids of the written files, unless there are more than 200,000.
 */
export async function checkoutTree(commit: string, checkout: Checkout): Promise<CheckedOut> {
  const { dir, env, signal, fail } = checkout
  const { index, skipped, ids, links, submodules } = await listTree(commit, checkout)
  const indexed = await runGit(['update-index', '--replace', '-z', '--index-info'], { cwd: dir, env, signal, input: index })
  if (!indexed.ok) throw fail(indexed.messages)
  const unwritten: Skipped[] = []
  let failure: string | undefined
  const onMessage = (line: string): void => {
    const [, path, reason = 'it cannot be written'] =
      /^error: unable to create (?:file|symlink) (.*?)(?:: ([^:]*))?$/.exec(line) ?? []
    if (path !== undefined && !fullDisk.test(line)) unwritten.push({ path: path.slice(0, shownPathChars), reason })
    else if (/^(error|fatal): /.test(line)) failure ??= line
  }
  const { ok, messages } = await runGit(['checkout-index', '--all', '--force'], { cwd: dir, env, signal, onMessage })
  if (failure !== undefined || (!ok && unwritten.length === 0)) throw fail(failure ?? messages)
  return { skipped: [...skipped, ...unwritten], ids: ids.size > maxIds ? undefined : ids, links, submodules }
}

/** The listing in the format of `update-index`. Paths are bytes, which latin1 preserves. */
async function listTree(
  commit: string,
  { dir, env, limits, signal, fail }: Checkout,
): Promise<CheckedOut & { index: Buffer; ids: BlobIds }> {
  const accepted: Buffer[] = []
  const links: string[] = []
  const textLinks: string[] = []
  const submodules: string[] = []
  const ids = new Map<string, string>()
  const skipped: Skipped[] = []
  let files = 0
  let pathsBytes = 0
  let bytes = 0
  let rest = ''
  const onOutput = (chunk: Buffer): void => {
    const entries = `${rest}${chunk.toString('latin1')}`.split('\0')
    rest = entries.pop() ?? ''
    if (rest.length > maxEntryBytes) throw tooLarge('The repository holds a path that is too long to read.')
    const lines: string[] = []
    for (const entry of entries) {
      const [, mode, type, id, size, path = ''] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(entry) ?? []
      if (type !== 'tree') files += 1
      pathsBytes += path.length
      const text = (): string => Buffer.from(path, 'latin1').toString()
      if (type === 'commit' && submodules.length < maxSubmodules) submodules.push(text())
      if (type !== 'blob' || isAttributes(path)) continue
      const invalid = whyInvalid(path)
      const isTooLarge = Number(size) > limits.fileBytes
      if (invalid !== undefined || (isTooLarge && ![undefined, 'office', 'source'].includes(documentKind(path)))) {
        const reason = invalid ?? `larger than ${limitSize(limits.fileBytes)}`
        skipped.push({ path: text().slice(0, shownPathChars), reason })
      }
      if (invalid !== undefined || isTooLarge) continue
      bytes += Number(size)
      lines.push(`${mode} ${id}\t${path}\0`)
      if (mode === linkMode && links.length < maxLinks) links.push(text())
      if (mode !== linkMode && isTextLink(path, Number(size)) && textLinks.length < maxTextLinks) textLinks.push(text())
      if (ids.size <= maxIds && id) ids.set(text(), mode === linkMode ? linkId : id)
    }
    accepted.push(Buffer.from(lines.join(''), 'latin1'))
    if (files > limits.files) throw tooLarge(`The repository holds more than ${limits.files} files.`)
    if (pathsBytes > maxPathsBytes) throw tooLarge(`The paths of the repository take more than ${limitSize(maxPathsBytes)}.`)
    if (bytes > limits.cloneBytes) throw tooLarge(`The repository unpacks to more than ${limitSize(limits.cloneBytes)}.`)
  }
  const { ok, messages } = await runGit(['ls-tree', '-r', '-t', '-z', '--long', '--full-tree', commit], {
    cwd: dir,
    env,
    signal,
    onOutput,
  })
  if (!ok) throw fail(messages)
  return { index: Buffer.concat(accepted), skipped, ids, links: [...links, ...textLinks], submodules }
}

/** True if Windows may have written a link to a folder as this file. */
const isTextLink = (path: string, size: number): boolean =>
  size > 0 && size <= maxTextLink && !path.slice(path.lastIndexOf('/') + 1).includes('.')

function whyInvalid(path: string): string | undefined {
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..' || isGitFolder(name)) return 'a name that git does not write'
    if (name.length > maxNameBytes) return `a name longer than ${maxNameBytes} bytes`
  }
  return path.length > maxPathBytes ? `a path longer than ${maxPathBytes} bytes` : undefined
}

/** `.git` in all spellings that some file system treats as `.git`: case, ignored characters, trailing dots and blanks, NTFS short names. */
const isGitFolder = (name: string): boolean => /^(\.git|git~\d+)([ .:\\]|$)/i.test(name.replace(/[^\x20-\x7e]/g, ''))

const isAttributes = (path: string): boolean => path === '.gitattributes' || path.endsWith('/.gitattributes')

const tooLarge = (why: string): AppError => new AppError('library_too_large', why)
