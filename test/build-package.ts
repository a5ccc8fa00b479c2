import { execFileSync } from 'node:child_process'
import { packageFolder } from './fixtures/package-folder.ts'

const root = new URL('..', import.meta.url).pathname

let isBuilt = false

/** Builds the package whose server the tests start, once for all projects that need it. */
export function setup(): void {
  if (isBuilt) return
  execFileSync(process.execPath, ['packaging/build.ts', packageFolder], { cwd: root, stdio: 'inherit' })
  isBuilt = true
}
