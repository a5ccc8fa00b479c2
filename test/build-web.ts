import { execFileSync } from 'node:child_process'

/** Builds the web UI before the tests that open it, if it is missing or stale. */
export const setup = (): void =>
  void execFileSync('sh', ['onprem/web/build/build-if-stale.sh'], {
    cwd: new URL('..', import.meta.url).pathname,
    stdio: 'inherit',
  })
