import type { ConfluenceCredentials } from '../../shared/schemas/confluence-site.ts'

export type ConfluenceSite = ConfluenceCredentials & {
  /** Its address, which has no slash at its end. */
  site: string
}

export type ShownConfluenceSite = Omit<ConfluenceSite, 'token'> & {
  /** The last four characters of the token. */
  last4: string
  savedAt: string
}

/** The Confluence sites of teamspaces, one each, with encrypted tokens. A token can be opened only with the address that it was saved for. */
export type ConfluenceSites = {
  /** Replaces another site with its token. Throws team_not_found. */
  save(teamspace: string, site: ConfluenceSite): Promise<void>
  /** Undefined if there was none. */
  remove(teamspace: string): Promise<ShownConfluenceSite | undefined>
  show(teamspace: string): Promise<ShownConfluenceSite | undefined>
  /** The site with its token, for requests to it. Throws data_damaged. */
  find(teamspace: string): Promise<ConfluenceSite | undefined>
}
