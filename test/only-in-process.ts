import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const refuse = (what: string) =>
  function refused(): never {
    throw new Error(`A quick test ${what}. If it must, write "// Not quick: " and why into its file.`)
  }

// All of child_process and of http, tls and fetch goes through these.
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuse('started a process') })
for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) childProcess[name] = refuse('started a process')
net.Server.prototype.listen = refuse('opened a port')
net.Socket.prototype.connect = refuse('connected to a server')
syncBuiltinESMExports()
