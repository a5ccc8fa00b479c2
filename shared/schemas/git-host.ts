/** The software of a git host, which gives the shape of its addresses. `git` is any server that speaks git over https. */
export const platforms = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucket-server', 'azure', 'git'] as const
export type Platform = (typeof platforms)[number]

/** A host that repositories may be read from. */
export type GitHost = {
  /** Unique; the first part of ids such as `/gitlab/group~project`. */
  name: string
  kind: Platform
  /** The address as `BaseUrl` normalizes it, or `ssh://git@host:port` as `printSsh` prints it. */
  baseUrl: string
  /** The user name that is sent with the token, if it is not the usual one of its kind. */
  user?: string | undefined
  /** Additional trusted certificates, in PEM. */
  ca?: string | undefined
  /** The id of the GitHub App whose private key is the secret of the host. */
  appId?: string | undefined
  /** The host keys of an `ssh://` address, as lines of known_hosts. */
  knownHosts?: string | undefined
}

/** The setting that holds the token of a host. */
export const tokenSetting = (host: string) =>
  host === 'github' || host === 'gitlab' ? (`${host}.token` as const) : (`git.hosts.${host}.token` as const)

/** Where a caller says that a repository is: on hosts of this software, or `git` for any host of the list. */
export type GitSource = 'github' | 'gitlab' | 'bitbucket' | 'git'
