import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const cli = new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url).pathname

let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

test.each(['server-initialize', 'ping', 'tools-list', 'prompts-list', 'resources-list', 'dns-rebinding-protection'])(
  'the public conformance suite of MCP is satisfied with %s',
  async (scenario) => {
    const url = `${app.url}/mcp`
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'server', '--url', url, '--scenario', scenario])
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
  },
)
