import { fork } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../../shared/system/child-env.ts'
import type { BuiltLambda } from './build-lambdas.ts'
import type { Invocation, Outcome, Started, Streamed } from './lambda-runtime.ts'

const runtime = fileURLToPath(new URL('lambda-runtime.ts', import.meta.url))

/** One container of a Lambda. */
export type RunningLambda = Started & {
  pid: number
  /** Throws the handler's error. */
  invoke<Result>(event: unknown): Promise<Result>
  /** Calls a handler that streams its response. */
  stream(event: unknown): Promise<Streamed>
  /** The lines that it has logged. */
  log(): Record<string, unknown>[]
  close(): Promise<void>
}

/** Starts a Lambda as AWS does, with nothing but its own environment. Throws with the output of the process if it cannot be loaded. */
export async function startLambda(
  { name, folder, handler, variables }: BuiltLambda,
  env: Record<string, string>,
): Promise<RunningLambda> {
  const child = fork(runtime, {
    cwd: folder,
    // A linked package requires what is next to the link, as if it were installed there.
    execArgv: ['--preserve-symlinks', '--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...childEnv(),
      ...variables,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: name,
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: handler,
      ...env,
    },
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const waiting = new Map<number, (outcome: Outcome) => void>()
  const ended = once(child, 'exit')
  void ended.then(() => {
    for (const [id, settle] of waiting) settle({ id, error: `${name} has ended:\n${output.join('')}` })
  })
  const [started] = await Promise.race([once(child, 'message'), ended.then(() => [undefined])])
  if (started === undefined) throw new Error(`${name} does not start:\n${output.join('')}`)
  child.on('message', (outcome: Outcome) => {
    waiting.get(outcome.id)?.(outcome)
    waiting.delete(outcome.id)
  })
  let invocations = 0
  const invoke = async <Result>(event: unknown, streams = false): Promise<Result> => {
    const invocation: Invocation = { id: ++invocations, event, streams }
    const { result, error } = await new Promise<Outcome>((settle) => {
      waiting.set(invocation.id, settle)
      child.send(invocation)
    })
    if (error !== undefined) throw new Error(error)
    return result as Result
  }
  return {
    pid: child.pid ?? 0,
    ...(started as Started),
    invoke: (event) => invoke(event),
    stream: (event) => invoke(event, true),
    log: () => logLines(output.join('')),
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The JSON lines of a log. */
export const logLines = (text: string): Record<string, unknown>[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []))

/** Encrypts the values of the resources and secrets that a Lambda is linked to, as SST stores them next to its code. */
export function writeLinks({ folder, links, variables }: BuiltLambda, values: Record<string, unknown>): void {
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(variables.SST_KEY ?? '', 'base64'), Buffer.alloc(12))
  const linked = Object.fromEntries(links.map((name) => [name, values[name]]))
  const encrypted = [cipher.update(JSON.stringify(linked), 'utf8'), cipher.final()]
  writeFileSync(join(folder, variables.SST_KEY_FILE ?? ''), Buffer.concat([...encrypted, cipher.getAuthTag()]))
}
