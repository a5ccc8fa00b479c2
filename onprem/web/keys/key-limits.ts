type Limits = { scope: 'read' | 'add' | 'admin' | null; libraries: string[] | null; addresses: string[] | null }

const scopes = { read: 'only reads', add: 'reads, adds and refreshes', admin: 'can do everything' } as const

/** The limits of a key, as parts of a sentence. */
export const keyLimits = ({ scope, libraries, addresses }: Limits): string[] => [
  ...(scope === null ? [] : [scopes[scope]]),
  ...(libraries ? [`only ${libraries.join(', ')}`] : []),
  ...(addresses ? [`only from ${addresses.join(', ')}`] : []),
]
