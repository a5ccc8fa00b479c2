import { expect, onTestFinished, test, vi } from 'vitest'
import { openWhenFree } from '../../../functions/local/open-when-free.ts'
import { lockDataDir, openDataDir } from '../../../shared/store/open-data-dir.ts'
import { carrel, hostedDir, startHosted } from '../../fixtures/hosted-process.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const waiting = 'waiting for a command that uses the data directory to end'

test('a server that starts while a command uses the data directory logs that, waits and then serves', async () => {
  const dataDir = hostedDir('http://127.0.0.1:9')
  const command = lockDataDir(dataDir, 'hosted')
  const said: string[] = []
  const starting = startHosted(dataDir, {}, (message) => said.push(message))
  await vi.waitFor(() => expect(said).toEqual([waiting]), { timeout: 60_000 })
  command.release()
  const server = await starting
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
  expect(said.filter((message) => message === waiting)).toHaveLength(1)
  // A second server does not wait for the first.
  const second = openServer(dataDir)
  await expect(second).rejects.toMatchObject({ message: expect.stringContaining('Another Carrel server already uses') })
  expect((await carrel(dataDir, 'hosted', 'teamspace', 'create', 'acme')).code).toBe(0)
})

test('the wait ends with a sentence and advice', async () => {
  const dataDir = openDataDir(tempDir())
  const command = lockDataDir(dataDir, 'hosted')
  onTestFinished(() => command.release())
  await expect(openServer(dataDir, 300)).rejects.toMatchObject({
    message: expect.stringMatching(/^A command still uses DATA_DIR \S+ after 0 seconds\. Start the server again when/),
  })
})

const openServer = (DATA_DIR: string, waitMs?: number) =>
  openWhenFree({ DATA_DIR, HOST: '127.0.0.1', NODE_EXTRA_CA_CERTS: undefined }, process.env, recordedLog(), waitMs)
