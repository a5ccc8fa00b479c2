import { posix } from 'node:path'

/** The other files of each Go package, by the file that its page is named after. `paths` are all documents. */
export function packageFiles(paths: readonly string[]): Map<string, string[]> {
  const packages = Map.groupBy(
    paths.filter((path) => path.endsWith('.go')),
    (path) => posix.dirname(path),
  )
  return new Map(
    [...packages].map(([folder, files]) => {
      const named = (name: string) => files.find((path) => posix.basename(path, '.go') === name)
      const first = named('doc') ?? named(posix.basename(folder)) ?? files[0] ?? ''
      return [first, files.filter((path) => path !== first)]
    }),
  )
}
