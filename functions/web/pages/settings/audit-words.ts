const words: Record<string, string> = {
  createTeamspace: 'created the teamspace',
  renameTeamspace: 'renamed the teamspace',
  setPlan: 'changed the plan',
  requestPlan: 'asked for another plan',
  invite: 'invited',
  withdrawInvite: 'withdrew the invitation of',
  acceptInvite: 'joined',
  changeRole: 'changed the role of',
  removeMember: 'removed the member',
  leaveTeamspace: 'left',
  createKey: 'created the key',
  revokeKey: 'revoked the key',
  addLibrary: 'added the library',
  add: 'added the library',
  refreshLibrary: 'refreshed the library',
  deleteLibrary: 'deleted the library',
  remove: 'deleted the library',
  unlistLibrary: 'took from the list the library',
  changeSource: 'changed the source settings of',
  schedule: 'changed the schedule of',
  flagged: 'changed what answers do with flagged passages of',
  claimLibrary: 'claimed the library',
  releaseLibrary: 'released the library',
  own: 'gave the teamspace the library',
  eraseUsage: 'erased the usage of',
  startExport: 'exported',
  optOut: 'stopped the indexing of',
  liftOptOut: 'allowed the indexing of',
  saveGitToken: 'saved the git token of',
  deleteGitToken: 'deleted the git token of',
  saveConfluenceSite: 'saved the Confluence site',
  deleteConfluenceSite: 'deleted the Confluence site',
  setRules: 'changed the rules',
  changePolicy: 'changed the policy',
  recordLicense: 'recorded the license',
}

/** An action of the audit log in words, between who and what. */
export const auditAction = (what: string): string => words[what] ?? what

type Facts = Readonly<Record<string, string | readonly string[]>>
type Entry = { what: string; before?: Facts | undefined; after?: Facts | undefined }

/** The facts that name what was changed, in the order in which they are looked for. */
const subjects = ['member', 'email', 'library', 'repository', 'host', 'name', 'key', 'license', 'libraries', 'of', 'plan']
/** Ids that say nothing to a reader. */
const ids = ['key', 'owner']
const maxListed = 3

/** "Ann (role: developer → admin)": what was changed, and the other facts before and after. */
export function shownFacts({ what, before = {}, after = {} }: Entry, nameOf: (user: string) => string): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const shown = (name: string): string => {
    const values = [text(before[name]), text(after[name])].filter((value) => value !== '')
    return [...new Set(name === 'member' ? values.map(nameOf) : values)].join(' → ')
  }
  const subject = subjects.find((name) => names.includes(name))
  const others = names.filter((name) => name !== subject && !ids.includes(name)).map((name) => `${name}: ${shown(name)}`)
  // The actor has left.
  const first = subject === undefined || what === 'leaveTeamspace' ? '' : shown(subject)
  return [first, others.length > 0 && `(${others.join(', ')})`].filter(Boolean).join(' ')
}

function text(value: string | readonly string[] = []): string {
  const values = [value].flat()
  const more = values.length - maxListed
  return more > 0 ? `${values.slice(0, maxListed).join(', ')} and ${more} more` : values.join(', ')
}
