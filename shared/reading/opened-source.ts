import type { FileAddress } from './file-url.ts'
import type { FetchedTree } from './git/fetch-git.ts'
import type { RemoteRefs } from './git/remote-refs.ts'
import type { RepositoryFacts } from './git/repository-facts.ts'

/**
 * The files of a source on disk. `urls` has the address of each page, if they are no files of a repository; `about` is what its owner calls it
 * where no file says so.
 */
export type SourceTree = FetchedTree & {
  urls?: ReadonlyMap<string, string> | undefined
  about?: { title?: string | undefined; description?: string | undefined } | undefined
}

/** A source that responded: a repository with its branches and tags, or a source whose only branch is its present content. */
export type OpenedSource = RemoteRefs & {
  /** The address of the library for people. */
  url: string
  /** The parts of the addresses of its files. */
  files: FileAddress
  /** Further facts from the host of a repository; absent for a source that is no repository. */
  repository?: {
    /** The requested address and the id of the repository, if its host has redirected that address to it. */
    moved: { from: string; to: string } | undefined
    /** True if the host redirects this address of it to the repository. */
    isRedirected(from: string): Promise<boolean>
    /** Undefined if the API of the host does not tell them. */
    facts(signal: AbortSignal): Promise<RepositoryFacts | undefined>
  }
  /** Readable without a token. */
  isPublic: boolean
  /** Fetches a branch or tag, as `findRef` finds it, into an existing, empty folder. Throws what `fetchGit` throws. */
  fetch(options: {
    ref: string | undefined
    into: string
    signal: AbortSignal
    onProgress?(progress: { stage: string; percent: number }): void
  }): Promise<SourceTree>
}
