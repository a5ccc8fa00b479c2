/** The version of content, such as `4.6, commit of 2026-11-20`. Empty if nothing is known. */
export const versionText = ({ version, commitDate }: { version?: string; commitDate?: string }): string =>
  [...(version ? [version] : []), ...(commitDate ? [`commit of ${commitDate.slice(0, 10)}`] : [])].join(', ')
