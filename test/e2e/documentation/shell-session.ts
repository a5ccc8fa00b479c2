import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { childEnv } from '../../../shared/system/child-env.ts'

const root = new URL('../../..', import.meta.url).pathname

export type Session = {
  /** The working directory and the home of the reader. */
  folder: string
  env: Record<string, string>
}

/**
 * A reader of the pages has `carrel`, npm's scripts for it and its server, and a curl that fails with the server's error. A stage of
 * SST is the data directory of the hosted half.
 */
const reader = `set -eo pipefail
carrel() { "$NODE" "$MAIN" "$@"; }
npm() {
  case "$*" in
    "run -s carrel -- "*) shift 4; carrel "$@" ;;
    start) start_and_stop ;;
    *) echo "not run here: npm $*" >&2; return 1 ;;
  esac
}
npx() {
  case "$*" in
    "sst shell --stage production -- npm "*) shift 5; "$@" ;;
    "sst shell --stage production -- node "*) shift 5; SST_RESOURCE_Table='{"name":"table"}' "$@" ;;
    *) echo "not run here: npx $*" >&2; return 1 ;;
  esac
}
start_and_stop() {
  rm -f server.log
  HOST=127.0.0.1 PORT=0 "$NODE" "$SERVER" > server.log &
  local server=$!
  until grep -qs listening server.log; do kill -0 $server; sleep 0.1; done
  kill -TERM $server && wait $server
}
curl() {
  case "$1" in
    -f*) command curl "$@" ;;
    *) command curl --fail-with-body "$@" ;;
  esac
}
`

/** Runs commands in one shell, as a reader would. Throws with everything that was printed if one fails. */
export async function runInShell(commands: string[], { folder, env }: Session): Promise<string> {
  const script = commands.map((command) => `echo ${quoted(`$ ${command}`)}\n${command}\n`).join('')
  const child = spawn('bash', ['-c', `${reader}${script}`], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE: process.execPath,
      MAIN: join(root, 'onprem/cli/main.ts'),
      SERVER: join(root, 'onprem/main.ts'),
      ...childEnv(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  if (code !== 0) throw new Error(`Exit ${code}:\n${out}\n${err}`)
  return out
}

const quoted = (words: string): string => `'${words.replaceAll("'", "'\\''")}'`
