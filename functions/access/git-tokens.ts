import type { TokenHost } from '../../shared/reading/git/git-hosts.ts'

export type ListedGitToken = {
  host: TokenHost
  /** Its last four characters. */
  last4: string
  savedAt: string
}

/** The tokens that teamspaces read their private repositories with, at most one per host, encrypted. */
export type GitTokens = {
  /** Throws team_not_found. */
  save(teamspace: string, host: TokenHost, token: string): Promise<void>
  /** False if there was none. */
  remove(teamspace: string, host: TokenHost): Promise<boolean>
  list(teamspace: string): Promise<ListedGitToken[]>
  /** The token itself, for a request to its host. Throws data_damaged. */
  find(teamspace: string, host: TokenHost): Promise<string | undefined>
}

/** Encrypts texts. A sealed text can be opened only with the context that it was sealed with. */
export type Sealing = {
  seal(text: string, context: Record<string, string>): Promise<string>
  /** Throws data_damaged. */
  open(sealed: string, context: Record<string, string>): Promise<string>
}
