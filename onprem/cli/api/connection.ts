import type { hc } from 'hono/client'
import type { AppType } from '../../server.ts'

type Api = ReturnType<typeof hc<AppType>>['api']

/** The API of the install in DATA_DIR: that of its running server, or of the same server in this process. */
export type Connection = {
  api: Api
  /** Sends a body that is too large for `api`. */
  send(path: string, init: RequestInit): Promise<Response>
  /** Runs these queued jobs and no others until `close`. Undefined if a server runs all jobs. */
  runJobs?(ids: readonly number[]): Promise<void>
  close(): Promise<void>
}

/** The header counts questions as those of the command line. */
export const connectionHeaders = (token: string) => ({ authorization: `Bearer ${token}`, 'x-carrel-source': 'cli' })
