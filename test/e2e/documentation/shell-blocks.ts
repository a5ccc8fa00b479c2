import { readFileSync } from 'node:fs'

/** The commands in the `sh` blocks of a page, in order, each with its continuation lines and without its comment. */
export function commandsOf(root: string, page: string): string[] {
  const commands: string[] = []
  let isShell = false
  let continues = false
  for (const text of readFileSync(`${root}/${page}`, 'utf8').split('\n')) {
    const fence = /^\s*```(\w*)/.exec(text)
    if (fence) isShell = !isShell && fence[1] === 'sh'
    const line = text.replace(/(^|\s+)#\s.*$/, '').trim()
    if (fence || !isShell || line === '') continue
    if (continues) commands.push(`${commands.pop()}\n  ${line}`)
    else commands.push(line)
    continues = line.endsWith('\\')
  }
  return commands
}
