import { visibleText } from '../../text/visible-text.ts'

/** A repository inside a repository. */
export type Submodule = {
  /** The path from the root. */
  path: string
  /** Its address as a browser opens it, if the repository names one. */
  url?: string | undefined
  /** The path is that of a link to it, or to something in it. */
  isLink?: boolean
}

export function submoduleReason({ url, isLink = false }: Submodule): string {
  const what = isLink ? 'it leads to a submodule' : 'it is a submodule'
  if (url === undefined) return `${what} without an address, which is not fetched`
  return `${what}, which is not fetched; add its repository ${visibleText(url)}`
}
