import '../../shared/system/require-node.cjs'
import { AppError } from '../../shared/errors.ts'
import { listen } from '../../shared/http/listen.ts'
import { openLog } from '../../shared/logging/open-log.ts'
import { endOnSignal } from '../../shared/system/end-on-signal.ts'
import { adminApp } from '../admin/admin-app.ts'
import { createServer } from '../server.ts'
import { announceAdmin, newAdminSecret, withdrawAdmin } from './admin-address.ts'
import { readLocalConfig } from './local-config.ts'
import { openWhenFree } from './open-when-free.ts'
import { startDashboard } from './start-dashboard.ts'

process.umask(0o077)

const starting = start()
endOnSignal(async () => (await starting)())
await starting

/** Starts the whole hosted half on this machine and returns its stop function. */
async function start(): Promise<() => Promise<void>> {
  try {
    const config = readLocalConfig(process.env)
    const { log, showProgress } = await openLog(config.LOG_LEVEL, process.env)
    const local = await openWhenFree({ ...config, showProgress }, process.env, log)
    const secret = newAdminSecret()
    const opened: { close(): Promise<void> }[] = []
    try {
      // No time limit for bodies: a replay reads its log only as fast as it counts.
      const admin = await listen(adminApp(local.hosted, secret).fetch, { HOST: '127.0.0.1', PORT: 0, bodyMs: 0 })
      opened.push(admin)
      const api = await listen(createServer(local.hosted).fetch, config)
      opened.push(api)
      const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST
      const url = `http://${host}:${api.port}`
      const dashboard = await startDashboard(local.hosted, { ...config, serviceUrl: url })
      opened.push(dashboard)
      announceAdmin(config.DATA_DIR, admin.port, secret)
      local.begin()
      log.info({ url, dashboard: dashboard.url, dataDir: config.DATA_DIR }, 'listening')
    } catch (error) {
      await Promise.all(opened.map((each) => each.close()))
      await local.close()
      throw error
    }
    return async () => {
      withdrawAdmin(config.DATA_DIR)
      await Promise.all(opened.map((each) => each.close()))
      await local.close()
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    process.stderr.write(`carrel: ${error.message}\n`)
    process.exit(1)
  }
}
