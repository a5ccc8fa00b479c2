import { AppError } from '../shared/errors.ts'
import { jsonLog } from '../shared/http/json-log.ts'
import { readConfig } from './config.ts'
import { type Install, startInstall } from './install.ts'

const maxStopMs = 20_000

process.umask(0o077)

const install = await start()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(install))

async function start(): Promise<Install> {
  try {
    return await startInstall(readConfig(process.env), process.env, jsonLog())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    process.stderr.write(`carrel: ${error.message}\n`)
    process.exit(1)
  }
}

async function end({ stop }: Install): Promise<void> {
  setTimeout(() => process.exit(1), maxStopMs).unref()
  await stop()
  process.exit(0)
}
