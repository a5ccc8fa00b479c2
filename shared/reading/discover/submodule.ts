import { visibleText } from '../../text/visible-text.ts'

/** A repository inside a repository. */
export type Submodule = {
  /** From the root. */
  path: string
  /** Its address as a browser opens it, if the repository names one. */
  url?: string | undefined
}

export const submoduleReason = ({ url }: Submodule): string =>
  url === undefined
    ? 'it is a submodule without an address, which is not fetched'
    : `it is a submodule, which is not fetched; add its repository ${visibleText(url)}`
