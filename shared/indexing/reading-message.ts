/** What a job does while it reads a version; '' is the default content. */
export const readingMessage = (version: string): string =>
  version === '' ? 'Reading files' : `Reading files of version ${version}`
