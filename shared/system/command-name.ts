type Env = Record<string, string | undefined>

/** The command line as its user calls it: the package consists of bundles, a checkout of TypeScript. */
export function commandName(env: Env): string {
  if (import.meta.url.endsWith('.ts')) return 'npm run -s carrel --'
  return env.npm_command === 'exec' ? 'npx carrel' : 'carrel'
}
