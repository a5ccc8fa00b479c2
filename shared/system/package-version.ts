import manifest from '../../package.json' with { type: 'json' }

/** The version of the HTTP API, as its specification declares it. */
export const apiVersion = '2.0.0'

/** The version of Carrel. */
export const packageVersion = (): string => manifest.version
