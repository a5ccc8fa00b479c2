/** Progress message of a job that reads a version; '' is the default content. */
export const readingMessage = (version: string): string =>
  version === '' ? 'Reading files' : `Reading files of version ${version}`
