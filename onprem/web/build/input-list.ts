import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

const project = new URL('../../..', import.meta.url).pathname
/** Files that change the result and that no module imports. */
const others = [
  'package-lock.json',
  'onprem/web/index.html',
  'onprem/web/vite.config.ts',
  'onprem/web/public',
  'onprem/web/build',
]

/** Writes `dist/inputs`: the files that the web UI was built from, one a line. `build-if-stale.sh` compares their times with it. */
export const inputList = (): Plugin => ({
  name: 'input list',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const modules = [...this.getModuleIds()].map((id) => relative(project, id.split(/[?#]/, 1)[0] ?? ''))
    const own = modules.filter((path) => /^(onprem|shared)\//.test(path))
    writeFileSync(join(dir, 'inputs'), [...new Set([...own, ...others])].sort().join('\n'))
  },
})
