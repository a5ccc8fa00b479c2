import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTool } from '../../tools/install-tool.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall
let cli: string

beforeAll(async () => {
  cli = join(await installTool('mcp-conformance'), '@modelcontextprotocol/conformance/dist/index.js')
  app = await testInstall()
})
afterAll(() => app?.close())

test.each(['server-initialize', 'ping', 'tools-list', 'prompts-list', 'resources-list', 'dns-rebinding-protection'])(
  'the server passes the public conformance suite of MCP: %s',
  async (scenario) => {
    const url = `${app.url}/mcp`
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'server', '--url', url, '--scenario', scenario])
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
  },
)
