import { request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { betterAuthAccounts } from '../../../onprem/accounts/accounts.ts'
import { type Backoff, backoffInMemory } from '../../../onprem/accounts/backoff.ts'
import { createServer } from '../../../onprem/server.ts'
import { listen } from '../../../shared/http/listen.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall
let port: number
/** Passwords that were compared, and what holds up their comparison. */
let compared: string[]
let held: PromiseWithResolvers<void>
/** Addresses of attempts that are held for a while, and of those that are not counted. */
let slowed: string[]
let withdrawn: string[]
/** Sign-ins that requested a turn, and those of them that have ended. */
let asked: number
let ended: number
let close: () => Promise<void>

beforeEach(async () => {
  app = await testInstall()
  compared = []
  slowed = []
  withdrawn = []
  asked = 0
  ended = 0
  held = Promise.withResolvers()
  const { users, passwords, log, signIns } = app.app
  // The clock is fixed, so that a slow machine does not shorten the pauses.
  const inMemory = backoffInMemory(() => 0)
  const backoff: Backoff = {
    ...inMemory,
    begin(attempt) {
      const holdMs = inMemory.begin(attempt)
      if (holdMs > 0) slowed.push(attempt.address)
      return holdMs
    },
    withdraw(attempt) {
      withdrawn.push(attempt.address)
      inMemory.withdraw(attempt)
    },
  }
  const db = openDatabase(app.dataDir)
  const observed = {
    // It replaces the hash of a user that does not exist.
    async hash(password: string) {
      await held.promise
      return passwords.hash(password)
    },
    async verify(password: string, hash: string) {
      compared.push(password)
      await held.promise
      return passwords.verify(password, hash)
    },
  }
  const accounts = betterAuthAccounts({
    db,
    users,
    settings: app.app.settings,
    passwords: observed,
    log,
    secret: () => 'x'.repeat(32),
  })
  const run: typeof signIns.run = async (...work) => {
    asked += 1
    return signIns.run(...work).finally(() => {
      ended += 1
    })
  }
  const server = createServer({ ...app.app, accounts, backoff, signIns: { run } }, async () => true)
  const listening = await listen(server.fetch, { HOST: '127.0.0.1', PORT: 0 })
  port = listening.port
  close = async () => {
    await listening.close()
    db.close()
    await app.close()
  }
})
afterEach(async () => {
  held.resolve()
  await close()
})

/** Signs in as this user from a new address, through a trusted proxy. */
function signIn(username: string, password: string, host: number) {
  const sent = request({
    port,
    host: '127.0.0.1',
    path: '/api/auth/session/sign-in/username',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${host}` },
  })
  const status = new Promise<number | 'none'>((resolve) => {
    sent.on('error', () => resolve('none'))
    sent.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  sent.end(JSON.stringify({ username, password }))
  return { status, hangUp: () => sent.destroy() }
}

const makeUser = async (username: string) =>
  app.app.users.create({ username, role: 'member', hash: await app.app.passwords.hash(`password of ${username}`) })

test('a waiting sign-in whose client hangs up is not hashed, and delays no other', async () => {
  for (const username of ['ada', 'bea', 'mia', 'zoe']) await makeUser(username)
  const first = [signIn('ada', 'password of ada', 1), signIn('bea', 'password of bea', 2)]
  await until(() => compared.length === 2)
  const gone = [...Array(4).keys()].map((n) => signIn('mia', `guess ${n}`, 10 + n))
  await until(() => asked === 6)
  for (const { hangUp } of gone) hangUp()
  await until(() => ended === 4)
  const others = [signIn('mia', 'password of mia', 10), signIn('zoe', 'password of zoe', 3)]
  await until(() => asked === 8)
  held.resolve()
  expect(await Promise.all([...first, ...others].map(({ status }) => status))).toEqual([200, 200, 200, 200])
  expect(compared.sort()).toEqual(['ada', 'bea', 'mia', 'zoe'].map((name) => `password of ${name}`))
})

test('sign-ins whose clients hung up free their places', async () => {
  await makeUser('mia')
  const crowd = (from: number) => [...Array(17).keys()].map((n) => signIn(`nobody ${from + n}`, 'a guess', from + n))
  const waiting = crowd(20)
  await until(() => asked === 17)
  const refused = signIn('mia', 'password of mia', 1)
  expect(await refused.status).toBe(429)
  for (const { hangUp } of waiting) hangUp()
  await until(() => ended === 18)
  held.resolve()
  expect(await signIn('mia', 'password of mia', 1).status).toBe(200)
})

test('a sign-in whose client hung up is not counted as a guess', async () => {
  await makeUser('mia')
  held.resolve()
  const guesses = [...Array(5).keys()].map((n) => signIn('mia', `guess ${n}`, 10 + n).status)
  expect(await Promise.all(guesses)).toEqual([401, 401, 401, 401, 401])
  const gone = signIn('mia', 'password of mia', 1)
  await until(() => slowed.length === 1)
  gone.hangUp()
  await until(() => withdrawn.length === 1)
  expect([slowed, withdrawn, compared.length]).toEqual([['198.51.100.1'], ['198.51.100.1'], 5])
})
