import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

test('a member who queues many parses delays the parse of another caller by only one job', async () => {
  const queue = async (repo: string, key: string) => {
    await install.git.create(repo, { files: { 'README.md': `# ${repo}\n\nA lever turns a wheel.\n` } })
    const { body } = await install.json('/api/parse', { method: 'POST', key, body: { repoUrl: `${install.git.url}/${repo}` } })
    return (body as { queueId: number }).queueId
  }
  await install.git.create('acme/first', { files: { 'README.md': '# First\n' } })
  install.git.misbehave('acme/first', { kind: 'stall', at: 'refs' })
  const first = await install.queue('acme/first')
  await expect.poll(() => install.app.jobs.get(first)?.state, { timeout: 60_000 }).toBe('parsing')
  const many: number[] = []
  for (const n of [1, 2, 3, 4]) many.push(await queue(`many/repo-${n}`, install.keys.member))
  const key = install.app.keys.create({ name: 'other', role: 'member' }).key
  const other = await queue('other/repo', key)
  await install.call('POST', `/api/jobs/${first}/cancel`)
  for (const id of [...many, other]) expect((await install.ended(id)).error).toBeNull()
  const started = [...many, other].sort((a, b) => startOf(a).localeCompare(startOf(b)))
  expect(started.indexOf(other)).toBeLessThanOrEqual(1)
})

const startOf = (id: number): string => install.app.jobs.get(id)?.startedAt ?? ''
