import type { Install } from '../../../shared/cli/install.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { connect, connectAgain } from './connect.ts'
import type { Connection } from './connection.ts'
import { type ProgressOutput, progressOutput } from './progress-output.ts'

/** The connection and the progress output of a command. */
export type CommandPorts = Connection & {
  progress: ProgressOutput
  /** Connects to the server of the install, which may have restarted. Undefined if none responds. Throws cannot_start if its version is another one. */
  reconnect(): Promise<Connection | undefined>
}
/** Runs a command; `name` is shown to other commands that have to wait for it. */
export type RunCommand = (name: string, work: (ports: CommandPorts) => Promise<void>) => Promise<void>

/** Runs commands on the API of an install. */
export const withConnection =
  (install: Install): RunCommand =>
  async (name, work) => {
    const progress = progressOutput()
    const connection = await connect(install, `carrel ${name}`, remarksLog(progress))
    try {
      await work({ ...connection, progress, reconnect: () => connectAgain(install.dataDir()) })
    } catch (error) {
      throw isUsage(error) ? new UsageError(error.message) : error
    } finally {
      progress.clear()
      await connection.close()
    }
  }

/** Arguments that are wrong regardless of the install. */
const isUsage = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'validation_error' || error.code === 'invalid_library_id')

/** The log of an install in this process: only lines for people. The command itself shows the progress of its job. */
function remarksLog({ remark }: ProgressOutput): Log {
  const print = ({ error }: Record<string, unknown>, message: string) =>
    remark(error instanceof Error ? `${message}: ${error.message}` : message)
  return {
    info: () => undefined,
    warn(fields, message) {
      if (!('job' in fields)) print(fields, message)
    },
    error: print,
  }
}
