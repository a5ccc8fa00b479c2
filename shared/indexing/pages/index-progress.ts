/** The progress that indexing reports. */
export type IndexProgress = {
  found(files: number): void
  /** A reader has these files until they are `handedBack`: if the server crashes meanwhile, one of them may be the cause. */
  handedOut(paths: string[]): void
  handedBack(paths: string[]): void
  /** One more file is done; `snippets` is the total so far. */
  read(snippets: number): void
  /** All files are read; the given suspects could not be read safely. */
  allRead(suspects: string[]): void
  /** The search indexes are being built. */
  indexing(): void
}
