/** Names and ids before or after a change. */
export type AuditFacts = Readonly<Record<string, string | readonly string[]>>

export type Change = {
  /** The person who made it, such as `operator ann@laptop`. */
  who: string
  /** The operation, such as `renameTeamspace`. */
  what: string
  /** The id of the teamspace that it concerns. */
  teamspace?: string | undefined
  before?: AuditFacts | undefined
  after?: AuditFacts | undefined
}

/** `unfinished`: it is running, or its process died, and it may have taken effect. */
export type AuditEntry = Omit<Change, 'teamspace'> & { at: string; outcome: 'unfinished' | 'done' | 'failed' }

export type Audit = {
  /** Writes an unfinished entry, and returns the function that writes its outcome. */
  begin(change: Change): Promise<(outcome: 'done' | 'failed') => Promise<void>>
  /** Oldest first: the changes that concern a teamspace, or those that concern none. */
  list(teamspace?: string): Promise<AuditEntry[]>
  /** Newest first: the latest changes that concern a teamspace. */
  latest(teamspace: string, max: number): Promise<AuditEntry[]>
}

/**
 * Makes a change between the two writes of its entry. A change that cannot be recorded is not made. If only its outcome cannot be
 * written, the entry stays unfinished.
 */
export async function audited<T>(audit: Pick<Audit, 'begin'>, change: Change, work: () => Promise<T>): Promise<T> {
  const end = await audit.begin(change)
  const ended = (outcome: 'done' | 'failed') => end(outcome).catch(() => undefined)
  const result = await work().catch(async (error: unknown) => {
    await ended('failed')
    throw error
  })
  await ended('done')
  return result
}
