import { homedir, hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { printRemark, sayDone } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { fetchText } from '../setup/fetch-text.ts'
import { keptKeys } from '../setup/kept-keys.ts'
import { readRoot } from './setup.ts'

const timeoutMs = 10_000

const more = `
Shows a code and an address. Once you allow it there in a browser, this machine gets a key of yours, which setup uses for that server.
The key is kept in a file that only you can read.`

/** Gets a key by a page in a browser (RFC 8628). */
export function loginCommand(program: Command): void {
  program
    .command('login')
    .description('get a key of a Carrel server by a page in a browser')
    .option('--base-url <url>', 'the address of the server, without /mcp')
    .option('--remove', 'forget the key; revoke it under Personal Settings')
    .addHelpText('after', more)
    .action(async ({ baseUrl, remove }: { baseUrl?: string; remove?: boolean }) => {
      const root = readRoot(baseUrl)
      const keys = keptKeys({ home: homedir(), env: process.env, platform: process.platform })
      if (remove) {
        keys.remove(root)
        return sayDone(`The key of ${root} is forgotten.`)
      }
      const login = await post(`${root}/mcp/oauth/device`, { client_name: `carrel login on ${hostname()}`.slice(0, 100) })
      if (login.status !== 200) throw new AppError('command_failed', `${root} offers no login to command lines.`)
      const { device_code: deviceCode, user_code: userCode, verification_uri: page, interval } = login.body
      printRemark(`open ${page} and enter the code ${userCode}`)
      const key = await waitForKey(root, String(deviceCode), Math.max(1, Number(interval) || 5) * 1000)
      keys.set(root, key)
      sayDone(`You are logged in to ${root}. Next: carrel setup --base-url ${root}`)
    })
}

async function waitForKey(root: string, deviceCode: string, firstPauseMs: number): Promise<string> {
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode, client_id: 'carrel' }
  for (let pauseMs = firstPauseMs; ; ) {
    await sleep(pauseMs)
    const { status, body } = await post(`${root}/mcp/oauth/token`, form)
    if (status === 200) return String(body.access_token)
    if (body.error === 'slow_down') pauseMs += 5_000
    else if (body.error === 'access_denied') throw new AppError('command_failed', 'The login was refused on the page.')
    else if (body.error === 'expired_token')
      throw new AppError('command_failed', 'Ten minutes have passed. Run "carrel login" again.')
    else if (body.error !== 'authorization_pending')
      throw new AppError('command_failed', `${root} responded with the status ${status}. Try again.`)
  }
}

async function post(url: string, form: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  try {
    const { status, text } = await fetchText(url, { method: 'POST', headers, body: String(new URLSearchParams(form)), timeoutMs })
    return { status, body: JSON.parse(text) as Record<string, unknown> }
  } catch (cause) {
    const message = `${new URL(url).origin} does not respond like a Carrel server. Check --base-url.`
    throw new AppError('command_failed', message, { cause })
  }
}
