/**
 * The variables of a program that is killed before the `nth` call of a function of `node:fs`, of those that change a backup or of the others. Of a
 * text that it writes, the beginning is in the file; of a folder that it deletes, the last file is gone.
 */
export function killedIn(name: string, { of = 'a file', nth = 1 }: { of?: 'a file' | 'a backup'; nth?: number } = {}) {
  const program = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; const { ${name}: real } = fs
    let calls = 0
    fs.${name} = (...args) => {
      const isBackup = args.some((each) => String(each).includes('/carrel/setup/'))
      if (isBackup !== ${of === 'a backup'} || ++calls < ${nth}) return real(...args)
      if ('${name}' === 'writeFileSync') fs.writeSync(args[0], String(args[1]).slice(0, 40))
      if (args[1]?.recursive) real(args[0] + '/' + fs.readdirSync(args[0]).sort().at(-1), { force: true })
      process.kill(process.pid, 'SIGKILL') }
    syncBuiltinESMExports()`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` }
}
