import { execFileSync } from 'node:child_process'
import { packageFolder } from './fixtures/package-folder.ts'

const root = new URL('..', import.meta.url).pathname

/** Builds the package whose server the tests start. */
export const setup = (): void =>
  void execFileSync(process.execPath, ['packaging/build.ts', packageFolder], { cwd: root, stdio: 'inherit' })
