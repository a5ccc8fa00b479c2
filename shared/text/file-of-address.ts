const encoded = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

type Shape = { start: RegExp; end: RegExp; after: RegExp }

/** The addresses of files that `blobUrl` writes, by what is before and after the path. */
const shapes: readonly Shape[] = [
  // GitHub, GitLab and, behind `#`, any git server.
  { start: /\/blob\/[0-9a-f]{7,64}\//, end: /[#?]/, after: /^/ },
  // Gitea, Bitbucket.
  { start: /\/src\/(?:commit\/)?[0-9a-f]{7,64}\//, end: /[#?]/, after: /^/ },
  // Bitbucket Data Center.
  { start: /\/browse\//, end: /[#?]/, after: /^\?at=[0-9a-f]{7,64}/ },
  // Azure DevOps.
  { start: /\?version=GC[0-9a-f]{7,64}&path=\//, end: /[#?&]/, after: /^/ },
]

const fragment = /#(?!\/blob\/[0-9a-f]{7,64}\/).*$/s
const azureLine = /&line=\d+&lineEnd=\d+&lineStartColumn=1&lineEndColumn=1$/

/** The address of a page, without the line or anchor in it. */
export const addressWithoutLine = (address: string): string => address.replace(fragment, '').replace(azureLine, '')

/** 1-based lines of a file. `last` is absent if only the first is known. */
export type Lines = { first: number; last?: number | undefined }

/** The lines in the address of a file. Undefined if it names none. */
export function linesOfAddress(address: string): Lines | undefined {
  const [, azureFirst, azureEnd] = /&line=(\d{1,15})&lineEnd=(\d{1,15})&lineStart/.exec(address) ?? []
  const [, first = azureFirst, end] = /(?:#L|#lines-|\?at=[0-9a-f]{7,64}#)(\d{1,15})(?:(?:-L?|:)(\d{1,15}))?$/.exec(address) ?? []
  if (first === undefined) return undefined
  const last = end === undefined ? Number(azureEnd) - 1 : Number(end)
  return last > Number(first) ? { first: Number(first), last } : { first: Number(first) }
}

/** The first of them. */
export const lineOfAddress = (address: string): number | undefined => linesOfAddress(address)?.first

/** The address of lines of a file, from that of the file, as its host writes it. */
export function addressAtLines(address: string, lines: Lines | undefined): string {
  // The pages of an unknown server have no lines.
  if (lines === undefined || address.includes('#/blob/')) return address
  const { first, last = first } = lines
  const range = (mark: string) => `${first}${last > first ? `${mark}${last}` : ''}`
  if (/\?at=[0-9a-f]{7,64}$/.test(address)) return `${address}#${range('-')}`
  if (/\?version=GC[0-9a-f]{7,64}&path=/.test(address))
    return `${address}&line=${first}&lineEnd=${Math.max(first, last) + 1}&lineStartColumn=1&lineEndColumn=1`
  const [, words] = /\/(-\/blob|blob|src|src\/commit)\/[0-9a-f]{7,64}\//.exec(address) ?? []
  if (words === 'src') return `${address}#lines-${range(':')}`
  return `${address}#L${range(words === '-/blob' ? '-' : '-L')}`
}

/** The address of a page whose text may be that of another file, at the address of its text. */
export function addressOfPage(textAddress: string, pagePath: string): string {
  const parts = partsOf(textAddress)
  const file = fileOfAddress(textAddress)
  if (parts === undefined || file === undefined || pagePath === '' || file === pagePath) return textAddress
  return parts.path === encoded(file) ? parts.before + encoded(pagePath) + parts.after : textAddress
}

/** The path of a file in its address at a commit. Undefined for other addresses. */
export function fileOfAddress(address: string): string | undefined {
  try {
    const parts = partsOf(address)
    return parts && decodeURIComponent(parts.path)
  } catch {
    return undefined
  }
}

function partsOf(address: string): { before: string; path: string; after: string } | undefined {
  for (const { start, end: ending, after } of shapes) {
    const found = start.exec(address)
    if (found === null) continue
    const at = found.index + found[0].length
    const length = address.slice(at).search(ending)
    const end = length < 0 ? address.length : at + length
    const parts = { before: address.slice(0, at), path: address.slice(at, end), after: address.slice(end) }
    if (parts.path !== '' && after.test(parts.after)) return parts
  }
  return undefined
}
