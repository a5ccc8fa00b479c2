/** Secrets of the hosts in `git.hosts`, by the names of these. */
export type HostSecretName = `git.hosts.${string}.token`
export const hostSecretPattern = /^git\.hosts\.([a-z][a-z0-9-]{0,29})\.token$/

export const isHostSecret = (name: string): name is HostSecretName => hostSecretPattern.test(name)

/** True for a secret that private repositories or spaces are read with. */
export const isGitSecret = (name: string): boolean =>
  name === 'github.token' || name === 'gitlab.token' || name === 'confluence.token' || isHostSecret(name)

/** True if a secret of a git host is stored. Takes the answer of `GET /api/settings`. */
export const hasGitSecret = (shown: object): boolean => Object.entries(shown).some(([name, value]) => value && isGitSecret(name))
