/** A zip that a member had built. Its state is that of the bundle with its id. */
export type TeamExport = {
  id: string
  /** The id of the user. */
  by: string
  startedAt: string
  libraries: string[]
  /** The id of the selection that it was built from, and the hashes of its contents, by library. */
  selection?: string
  contents: Record<string, string>
}

/** The exports of each teamspace, kept as long as their zips. */
export type TeamExports = {
  /** Throws team_not_found. */
  add(teamspace: string, started: TeamExport): Promise<void>
  /** Newest first. */
  list(teamspace: string): Promise<TeamExport[]>
}
