import manifest from '../../package.json' with { type: 'json' }

/** Of the product. */
export const packageVersion = (): string => manifest.version
