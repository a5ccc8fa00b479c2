import type { PackageName } from '../registries/package-name.ts'

/** A dependency as a reader finds it: its name is not checked, and its version may be a range. */
export type Named = (PackageName & { version?: string | undefined }) | { repository: string }

/** Names what a file depends on, in its order, with repetitions. Throws if the text is not of the format. */
export type ManifestReader = (text: string) => Iterable<Named>
