import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

const root = new URL('../../..', import.meta.url).pathname
/** Files in the folder of a web UI that change the result and that no module imports. */
const others = ['index.html', 'vite.config.ts']

/**
 * Writes two lists of files, one a line: `dist/inputs`, our files that the web UI was built from, whose times `build-if-stale.sh` compares
 * with it; and `dist/packages`, those of packages, for the list of licenses. `folder` is that of the web UI in the project, and `more` returns
 * paths that Vite does not know.
 */
export const inputList = (folder: string, more: () => string[]): Plugin => ({
  name: 'input list',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const ids = [...this.getModuleIds()].map((id) => relative(root, id.split(/[?#]/, 1)[0] ?? ''))
    const modules = [...ids, ...more()]
    const write = (name: string, paths: string[]) => writeFileSync(join(dir, name), `${[...new Set(paths)].sort().join('\n')}\n`)
    write(
      'packages',
      modules.filter((path) => path.startsWith('node_modules/')),
    )
    write('inputs', [
      ...modules.filter((path) => /^(onprem|functions|shared|docs)\/|^CHANGELOG\.md$/.test(path)),
      ...others.map((name) => join(folder, name)),
      'package-lock.json',
      'shared/web/build',
      'shared/web/public',
    ])
  },
})
