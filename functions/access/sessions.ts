export type ListedSession = {
  /** The hash of the token, which is not stored. */
  id: string
  createdAt: string
  /** The last day of use, in UTC. */
  seenDay: string
  /** The user agent of the browser that signed in. */
  agent: string
}

/** Sessions end when they are ended, when they are not used for two weeks, and after 90 days. */
export type Sessions = {
  /** The token is returned only here. */
  begin(user: string, agent: string): Promise<{ token: string; endsAt: Date }>
  /** Undefined if the token is malformed or unknown, or its session has ended. Records the day of use. */
  find(token: string): Promise<{ id: string; user: string } | undefined>
  /** The sessions of a user that have not ended, newest first. */
  list(user: string): Promise<ListedSession[]>
  /** False if the user has no such session. */
  end(user: string, id: string): Promise<boolean>
  endAll(user: string): Promise<void>
  /** Ends the sessions of all users. Reads the whole table. */
  clear(): Promise<void>
}
