/** Libraries that a teamspace exports together. `built` has the content that the last finished zip held. */
export type Selection = {
  id: string
  name: string
  /** Ids of libraries, or of versions. */
  libraries: string[]
  updatedAt: string
  built?: BuiltSelection
}

/** `contents` maps the id of each library to the hash of its content. */
export type BuiltSelection = { at: string; contents: Record<string, string> }

/** The selections of teamspaces. */
export type Selections = {
  list(teamspace: string): Promise<Selection[]>
  find(teamspace: string, id: string): Promise<Selection | undefined>
  /** Creates a selection, or changes its name and libraries, atomically. `check` gets the selection before and may throw. Throws team_not_found. */
  save(
    teamspace: string,
    selection: Pick<Selection, 'id' | 'name' | 'libraries'>,
    check?: (before: Selection | undefined) => void,
  ): Promise<void>
  /** Notes a finished zip, unless the selection is gone or a later zip is noted. */
  noteBuilt(teamspace: string, id: string, built: BuiltSelection): Promise<void>
  /** False if there was none. */
  remove(teamspace: string, id: string): Promise<boolean>
}
