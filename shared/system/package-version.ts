import manifest from '../../package.json' with { type: 'json' }

/** The version of Carrel. */
export const packageVersion = (): string => manifest.version
