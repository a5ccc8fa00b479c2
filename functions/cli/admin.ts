import { setTimeout as sleep } from 'node:timers/promises'
import { isStage } from '../../shared/cli/is-stage.ts'
import { AppError, type ErrorCode, errorCodes } from '../../shared/errors.ts'
import { isLocked } from '../../shared/store/open-data-dir.ts'
import type { AdminPorts } from '../admin/admin-app.ts'
import { newAdminSecret, readAdminAddress } from '../local/admin-address.ts'
import { isAnswering } from '../local/is-answering.ts'

/** Asks the hosted half: one that runs, one that is opened for the command alone, or a stage on AWS. */
export type Admin = {
  /** The answer to `POST /<path>`, or to GET where there is no body. Throws the AppError that is answered. */
  ask<Answer>(path: string, body?: unknown): Promise<Answer>
  send<Answer>(path: string, body: ReadableStream<Uint8Array>): Promise<Answer>
  /** What one of `adminOperations` answers. */
  run<Answer>(operation: string, input: unknown): Promise<Answer>
}

/** Runs a command on the hosted half that the environment names. */
export type UseAdmin = <T>(work: (admin: Admin) => Promise<T>) => Promise<T>

type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>

const patienceMs = 15_000
const pauseMs = 200

/**
 * Runs a command. A data directory belongs to one process at a time: where a server has it, the server is asked, else it is opened here;
 * while another command has it, this one waits for its turn.
 */
export async function withAdmin<T>(openDir: () => string, work: (admin: Admin) => Promise<T>): Promise<T> {
  if (isStage(process.env)) return onStage(work)
  const dataDir = openDir()
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const address = readAdminAddress(dataDir)
    if (address && (await isAnswering(address))) return work(adminOver(address.url, address.secret, fetch))
    try {
      return await opened(dataDir, work)
    } catch (error) {
      if (!isLocked(error) || performance.now() > giveUpAt) throw error
    }
    await sleep(pauseMs)
  }
}

async function opened<T>(dataDir: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const { openLocal } = await import('../local/open-local.ts')
  const local = await openLocal({ DATA_DIR: dataDir, HOST: '127.0.0.1' }, process.env, quietLog)
  try {
    local.begin()
    return await work(await adminIn(local.hosted))
  } finally {
    await local.close()
  }
}

async function onStage<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const { awsHosted } = await import('../aws/stage-ports.ts')
  return work(await adminIn(awsHosted(quietLog)))
}

async function adminIn(ports: AdminPorts): Promise<Admin> {
  const { adminApp } = await import('../admin/admin-app.ts')
  const secret = newAdminSecret()
  const app = adminApp(ports, secret)
  return adminOver('http://localhost', secret, (url, init) => app.fetch(new Request(url, init)))
}

function adminOver(url: string, secret: string, doFetch: Fetch): Admin {
  const headers = { authorization: `Bearer ${secret}` }
  const ask = async <Answer>(path: string, init: RequestInit): Promise<Answer> => {
    const { response, body } = await asked<Answer>(() =>
      doFetch(url + path, { ...init, headers: { ...headers, ...init.headers } }),
    )
    if (response.ok) return body.answer as Answer
    const code = errorCodes.find((each) => each === body.error) ?? ('internal_error' satisfies ErrorCode)
    throw new AppError(code, body.message ?? `The hosted half answered ${response.status}.`)
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

type Body<Answer> = { answer?: Answer; error?: string; message?: string }

async function asked<Answer>(doFetch: () => Response | Promise<Response>): Promise<{ response: Response; body: Body<Answer> }> {
  try {
    const response = await doFetch()
    return { response, body: (await response.json()) as Body<Answer> }
  } catch (error) {
    const message =
      'The server of this data directory went away before it answered. Start it again, or run the command without it.'
    throw new AppError('internal_error', message, { transient: true, cause: error })
  }
}

/** Whether a server that was asked went away meanwhile. */
export const wentAway = (error: unknown): boolean => error instanceof AppError && error.transient

const quietLog = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: Record<string, unknown>, message: string) => {
    const { error } = fields
    process.stderr.write(`carrel: ${message}${error instanceof Error ? `: ${error.message}` : ''}\n`)
  },
}
