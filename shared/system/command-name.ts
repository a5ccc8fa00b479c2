/**
 * The command line as its user calls it: the package consists of bundles, a checkout of TypeScript. Never `npx`, which would run whatever
 * a registry has under the name.
 */
export const commandName = (): string => (import.meta.url.endsWith('.ts') ? 'npm run -s carrel --' : 'carrel')
