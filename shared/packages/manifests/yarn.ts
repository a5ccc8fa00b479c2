import { linesOf } from './lines.ts'
import type { Named } from './named.ts'
import { npmDependency } from './npm.ts'

const entry = /^"?(@?[^@\s"#]+)@(?:npm:(?=[^@]*$))?([^",]*)/
const versionLine = /^ {2}version:? "?([^"\s]+)/

/** Both formats of Yarn begin an entry at the start of a line: `"@scope/name@^1", name@2:`. They name all packages. */
export function* readYarnLock(text: string): Generator<Named> {
  let open: { name: string; range: string } | undefined
  for (const line of linesOf(text)) {
    const version = open && versionLine.exec(line)?.[1]
    if (open && version !== undefined) {
      yield* npmDependency(open.name, open.range.replace(/:$/, ''), version)
      open = undefined
    }
    const found = entry.exec(line)
    if (found?.[1] !== undefined) open = { name: found[1], range: found[2] ?? '' }
  }
}
