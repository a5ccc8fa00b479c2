/** What a job does while it reads a version; '' is the default content. */
export const readingOf = (version: string): string => (version === '' ? 'Reading files' : `Reading files of version ${version}`)
