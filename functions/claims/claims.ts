/** The key that proves a claim when the project file of the repository has it. */
export type Claim = { publicKey: string; expiresAt: string }

/** Open claims of teamspaces to libraries, by library key and id of the teamspace. Several may claim one library at the same time. */
export type Claims = {
  /** Starts a claim for a week, or renews it with its key. */
  begin(library: string, teamspace: string): Promise<Claim>
  /** Undefined if there is none, or it has expired. */
  find(library: string, teamspace: string): Promise<Claim | undefined>
  end(library: string, teamspace: string): Promise<void>
}
