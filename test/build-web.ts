import { execFileSync } from 'node:child_process'

/** Builds the web UIs before the tests that open them, if they are missing or stale. */
export const setup = (): void =>
  void execFileSync('sh', ['shared/web/build/build-if-stale.sh', 'onprem', 'functions'], {
    cwd: new URL('..', import.meta.url).pathname,
    stdio: 'inherit',
  })
