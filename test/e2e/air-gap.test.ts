import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('air-gap/everything.ts', import.meta.url))
const alone = ['--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

test.runIf(process.platform === 'linux')(
  'in a network that has nothing but loopback an install imports, embeds, answers and lets in its users',
  { timeout: 120_000 },
  async () => {
    const { stdout } = await promisify(execFile)('unshare', [...alone, process.execPath, program], { timeout: 110_000 })
    expect(stdout.trim().split('\n')).toEqual([
      'interfaces: lo',
      'the default pair is changed',
      'the settings are tested and kept',
      'a member has a key',
      'imported as JSON and as a zip, by the member',
      'the imported libraries answer with both legs of the search, by REST and by MCP',
      'a parsed library answers beside them',
      'everything has vectors of another model after a re-index',
      'metrics, policies and the support bundle answer',
    ])
  },
)
