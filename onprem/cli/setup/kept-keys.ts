import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folderVariable, type Home } from './home.ts'

/** Keys that "carrel login" got, by the addresses of their servers, in a file that only this user can read. */
export function keptKeys(home: Home) {
  const file = join(folderVariable(home, 'XDG_CONFIG_HOME') ?? join(home.home, '.config'), 'carrel/keys.json')
  const read = (): Record<string, string> => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    } catch {
      return {}
    }
  }
  const write = (keys: Record<string, string>) => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const next = `${file}.${process.pid}`
    writeFileSync(next, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
    chmodSync(next, 0o600)
    renameSync(next, file)
  }
  return {
    file,
    get: (root: string): string | undefined => read()[root],
    set: (root: string, key: string): void => write({ ...read(), [root]: key }),
    remove(root: string): void {
      const { [root]: _, ...others } = read()
      write(others)
    },
  }
}
