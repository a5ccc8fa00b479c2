import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('air-gap/everything.ts', import.meta.url))
const alone = ['--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

test.runIf(process.platform === 'linux')(
  'an install in a network with only loopback imports, embeds, serves questions and signs in its users',
  async () => {
    const { stdout } = await promisify(execFile)('unshare', [...alone, process.execPath, program], { timeout: 280_000 })
    expect(stdout.trim().split('\n')).toEqual([
      'interfaces: lo',
      'the initial credentials are changed',
      'the settings are tested and saved',
      'a member has a key',
      'the member imported a JSON bundle and a zip',
      'the imported libraries answer with hybrid search, over REST and MCP',
      'a parsed library answers too',
      'all libraries have vectors of another model after a re-index',
      'metrics, policies and the support bundle are served',
    ])
  },
)
