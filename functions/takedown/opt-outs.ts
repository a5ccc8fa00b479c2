/** A decision of the owner or the operator that a public library may not be indexed. */
export type OptOut = {
  /** The id of the library. */
  library: string
  at: string
  by: 'owner' | 'operator'
  /** The address of its source. Absent for a library that nobody had added, and in entries from before this field. */
  sourceUrl?: string
  /** The teamspace that owned it; only `by` the owner. */
  teamspace?: string
  /** The operator's reason, for the operator. */
  reason?: string
}

/** Libraries that may not be indexed, by library key. Those whose project file says so are not listed: the file is read when it matters. */
export type OptOuts = {
  add(key: string, optOut: Omit<OptOut, 'at'>): Promise<void>
  find(key: string): Promise<OptOut | undefined>
  /** False if there is none. */
  lift(key: string): Promise<boolean>
  /** Sorted by key. */
  list(): Promise<OptOut[]>
}

/** How far a round of checks has come: every library up to the key `after` has been checked since `beganAt`. */
export type CheckPosition = { after: string; beganAt: string }

export type OptOutChecks = {
  /** Undefined before the first round. */
  position(): Promise<CheckPosition | undefined>
  move(to: CheckPosition): Promise<void>
}
