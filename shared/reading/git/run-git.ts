import { spawn } from 'node:child_process'
import { kill } from 'node:process'
import { AppError } from '../../errors.ts'

export type GitRun = {
  cwd: string
  env: Record<string, string>
  /** Ends the process and its children; the promise then rejects with the signal's reason. */
  signal: AbortSignal
  input?: Uint8Array
  /** An error that this or `onMessage` throws ends the process too, and rejects the promise. */
  onOutput?(chunk: Buffer): void
  /** Each line that git writes to its standard error, progress included. */
  onMessage?(line: string): void
}

const maxMessageChars = 8_000
const graceMs = 1_000

/**
 * Runs git in its own process group. Resolves when the whole group was killed and has closed its pipes, so that no `git-remote-https` outlives
 * its job. `messages` is the end of its standard error, without progress.
 */
export async function runGit(args: string[], run: GitRun): Promise<{ ok: boolean; messages: string }> {
  run.signal.throwIfAborted()
  const child = spawn('git', args, { cwd: run.cwd, env: run.env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const { pid } = child
  let messages = ''
  let rest = ''
  let thrown: { error: unknown } | undefined
  let force: NodeJS.Timeout | undefined

  const stop = (): void => {
    killGroup(pid, 'SIGTERM')
    force ??= setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs)
  }
  const call = (callback: () => void): void => {
    if (thrown !== undefined) return
    try {
      callback()
    } catch (error) {
      thrown = { error }
      stop()
    }
  }
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new AppError('not_configured', 'git cannot be run on this server. Install it, or check the PATH.', { cause })),
    )
    child.on('close', resolve)
  })
  // A helper that outlives git holds the pipes open, and `close` would never come.
  child.on('exit', () => killGroup(pid, 'SIGKILL'))
  child.stdin.on('error', () => undefined)
  child.stdin.end(run.input)
  child.stdout.on('data', (chunk: Buffer) => call(() => run.onOutput?.(chunk)))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split(/[\r\n]/)
    rest = (lines.pop() ?? '').slice(-maxMessageChars)
    for (const line of lines) {
      call(() => run.onMessage?.(line))
      if (!/\d% \(/.test(line)) messages = `${messages}${line}\n`.slice(-maxMessageChars)
    }
  })
  run.signal.addEventListener('abort', stop, { once: true })
  try {
    const code = await closed
    run.signal.throwIfAborted()
    if (thrown !== undefined) throw thrown.error
    return { ok: code === 0, messages: messages + rest }
  } finally {
    clearTimeout(force)
    run.signal.removeEventListener('abort', stop)
  }
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
