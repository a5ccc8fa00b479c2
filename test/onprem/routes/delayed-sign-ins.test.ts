import { type TestContext, test } from 'vitest'
import { testInstall } from '../../fixtures/test-install.ts'

const pair = { username: 'mia', password: 'a long password' }

/** An install with one user. Each test waits for delayed attempts, so all of them run at the same time, each on its own install. */
async function installWithUser({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const install = await testInstall()
  onTestFinished(install.close)
  const { users, passwords } = install.app
  users.create({ username: pair.username, role: 'member', hash: await passwords.hash(pair.password) })
  const signIn = async (password: string, n: number): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${n}` }
    const body = JSON.stringify({ ...pair, password })
    return (await install.ask('/api/auth/session/sign-in/username', { method: 'POST', headers, body })).status
  }
  return { signIn }
}

test.concurrent('excess password comparisons are rejected instead of queued without limit', async ({
  expect,
  onTestFinished,
}) => {
  const { signIn } = await installWithUser({ onTestFinished })
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => signIn('wrong', n)))
  expect([...new Set(statuses)].sort()).toEqual([401, 429])
})

test.concurrent('a client of a trusted proxy gets few guesses at a user, with a new X-Forwarded-For for each', async ({
  expect,
  onTestFinished,
}) => {
  const { signIn } = await installWithUser({ onTestFinished })
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => signIn(`guess ${n}`, n)))
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(8)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(12)
})

test.concurrent('the right password is accepted from an address that the user has used, while others guess', async ({
  expect,
  onTestFinished,
}) => {
  const { signIn } = await installWithUser({ onTestFinished })
  expect(await signIn(pair.password, 99)).toBe(200)
  const guesses = Promise.all(Array.from({ length: 20 }, (_, n) => signIn('a wrong password', n)))
  expect(await signIn(pair.password, 99)).toBe(200)
  await guesses
})
