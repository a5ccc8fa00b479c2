import { hostname, userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStage } from '../../../shared/cli/is-stage.ts'
import { AppError, errorCodes, isTransient } from '../../../shared/errors.ts'
import { isLocked } from '../../../shared/store/open-data-dir.ts'
import type { AdminPorts } from '../../admin/admin-app.ts'
import { newAdminSecret, readAdminAddress } from '../../local/admin-address.ts'
import { isAnswering } from '../../local/is-answering.ts'

/** Calls the admin API of a running hosted half, of one that is opened only for this command, or of a stage on AWS. */
export type Admin = {
  /** The result of `POST /<path>`, or of GET without a body. Throws the AppError of an error response. */
  ask<Answer>(path: string, body?: unknown): Promise<Answer>
  send<Answer>(path: string, body: ReadableStream<Uint8Array>): Promise<Answer>
  /** The result of one of `adminOperations`. */
  run<Answer>(operation: string, input: unknown): Promise<Answer>
}

/** Runs a command on the hosted half that the environment names. */
export type UseAdmin = <T>(work: (admin: Admin) => Promise<T>) => Promise<T>

type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>

const maxWaitMs = 15_000
const pauseMs = 200

/**
 * Runs a command. Only one process at a time can open a data directory: if a server has it open, the command calls the server; if not,
 * the command opens it. While another command has it open, this one waits.
 */
export async function withAdmin<T>(openDir: () => string, work: (admin: Admin) => Promise<T>): Promise<T> {
  if (isStage(process.env)) return onStage(work)
  const dataDir = openDir()
  const endAt = performance.now() + maxWaitMs
  for (;;) {
    const address = readAdminAddress(dataDir)
    if (address && (await isAnswering(address))) return work(adminOver(address.url, address.secret, fetch))
    try {
      return await opened(dataDir, work)
    } catch (error) {
      if (!isLocked(error) || performance.now() > endAt) throw error
    }
    await sleep(pauseMs)
  }
}

async function opened<T>(dataDir: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const { openLocal } = await import('../../local/open-local.ts')
  const local = await openLocal({ DATA_DIR: dataDir, HOST: '127.0.0.1' }, process.env, quietLog)
  try {
    local.begin()
    return await work(await adminIn(local.hosted))
  } finally {
    await local.close()
  }
}

async function onStage<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const { awsHosted } = await import('../../aws/stage-ports.ts')
  return work(await adminIn(awsHosted(quietLog)))
}

async function adminIn(ports: AdminPorts): Promise<Admin> {
  const { adminApp } = await import('../../admin/admin-app.ts')
  const secret = newAdminSecret()
  const app = adminApp(ports, secret)
  return adminOver('http://localhost', secret, (url, init) => app.fetch(new Request(url, init)))
}

function adminOver(url: string, secret: string, doFetch: Fetch): Admin {
  const headers = { authorization: `Bearer ${secret}`, 'x-operator': Buffer.from(operatorName()).toString('base64url') }
  const ask = async <Answer>(path: string, init: RequestInit): Promise<Answer> => {
    const { response, body } = await send<Answer>(() =>
      doFetch(url + path, { ...init, headers: { ...headers, ...init.headers } }),
    )
    if (response.ok) return body.answer as Answer
    const code = errorCodes.find((each) => each === body.error) ?? 'internal_error'
    throw new AppError(code, body.message ?? `The hosted half returned status ${response.status}.`)
  }
  const post = (body: unknown): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  return {
    ask: (path, body) => ask(path, body === undefined ? {} : post(body)),
    run: (operation, input) => ask(`/run/${operation}`, post(input)),
    send: (path, body) => ask(path, { method: 'POST', body, duplex: 'half' } as RequestInit),
  }
}

function operatorName(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? ''}@${hostname()}`
  }
}

type Body<Answer> = { answer?: Answer; error?: string; message?: string }

async function send<Answer>(doFetch: () => Response | Promise<Response>): Promise<{ response: Response; body: Body<Answer> }> {
  try {
    const response = await doFetch()
    return { response, body: (await response.json()) as Body<Answer> }
  } catch (error) {
    const message =
      'The server of this data directory stopped before it responded. Start it again, or run the command without it.'
    throw new AppError('command_failed', message, { retry: 'limited', cause: error })
  }
}

/** True if the server stopped during a call. */
export const isServerGone = isTransient

const quietLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields: Record<string, unknown>, message: string) => {
    const { error } = fields
    process.stderr.write(`carrel: ${message}${error instanceof Error ? `: ${error.message}` : ''}\n`)
  },
}
