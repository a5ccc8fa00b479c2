import { expect, test } from 'vitest'
import { maxRuledLibraries } from '../../../../functions/access/rule-limits.ts'
import { RuleList } from '../../../../functions/access/team-policies.ts'
import { dynamoTeamPolicies } from '../../../../functions/dynamo/accounts/dynamo-team-policies.ts'
import { openPolicy } from '../../../../shared/policy/policy.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'
import { faultyTable } from '../faulty-table.ts'

const closed = { sourceTypes: { disable: ['websites' as const] } }

/** The policies of two processes on one table, with a clock and the commands that the first has sent. */
async function twoProcesses() {
  const table = await testDynamo()
  let nowMs = Date.parse('2030-01-01T00:00:00Z')
  const now = () => new Date(nowMs)
  const sent: string[] = []
  const counting = faultyTable(table, (_nth, command) => void sent.push(command))
  return {
    one: dynamoTeamPolicies({ table: counting, now }),
    other: dynamoTeamPolicies({ table, now }),
    sent,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('a teamspace without a policy and rules costs one query in five seconds', async () => {
  const { one, sent, pass } = await twoProcesses()
  for (let asked = 0; asked < 100; asked++)
    expect(await one.guidance('t')).toEqual({ policy: undefined, rules: { global: [], libraries: {} } })
  expect(sent).toEqual(['Query'])
  pass(5_000)
  await one.guidance('t')
  expect(sent).toEqual(['Query', 'Query'])
})

test('a change of another process applies after five seconds, and the own change at once', async () => {
  const { one, other, pass } = await twoProcesses()
  await one.guidance('t')
  await other.changePolicy('t', closed)
  await other.setRules('t', undefined, ['Be brief.'])
  expect((await other.guidance('t')).policy?.sourceTypes.websites).toEqual({ enabled: false })
  pass(4_999)
  expect((await one.guidance('t')).policy).toBeUndefined()
  pass(1)
  expect(await one.guidance('t')).toMatchObject({
    policy: { sourceTypes: { websites: { enabled: false } } },
    rules: { global: ['Be brief.'] },
  })
})

test('rules for all libraries and for one are set and removed apart, and belong to one teamspace', async () => {
  const { one } = await twoProcesses()
  await one.setRules('t', undefined, ['Be brief.'])
  await one.setRules('t', '/acme/widgets', ['Use v2.'])
  expect(await one.rules('t')).toEqual({ global: ['Be brief.'], libraries: { '/acme/widgets': ['Use v2.'] } })
  expect(await one.setRules('t', '/acme/widgets', [])).toEqual({ global: ['Be brief.'], libraries: {} })
  expect(await one.rules('other')).toEqual({ global: [], libraries: {} })
})

test('policies and rules of many changes at once are all kept', async () => {
  const { one } = await twoProcesses()
  const owners = Array.from({ length: 20 }, (_, i) => `/owner${i}`)
  const blocking = (owner: string) => ({ libraryFilters: { quality: { blockedLibraries: { add: [owner] } } } })
  await Promise.all(owners.map((owner) => one.changePolicy('t', blocking(owner))))
  expect((await one.policy('t')).libraryFilters.quality.blockedLibraries.sort()).toEqual(owners.sort())
  await Promise.all(owners.map((owner) => one.setRules('t', `${owner}/x`, ['r'])))
  expect(Object.keys((await one.rules('t')).libraries)).toHaveLength(20)
})

test('a teamspace has rules for a limited number of libraries, of a limited size', async () => {
  const { one } = await twoProcesses()
  for (let i = 0; i < maxRuledLibraries; i++) await one.setRules('t', `/a/${i}`, ['r'])
  await expect(one.setRules('t', '/a/more', ['r'])).rejects.toMatchObject({ code: 'validation_error' })
  await one.setRules('t', '/a/1', ['another'])
  const long = Array.from({ length: 50 }, () => 'x'.repeat(255))
  const filled = async () => {
    for (let i = 0; i < maxRuledLibraries; i++) await one.setRules('t', `/a/${i}`, long)
  }
  await expect(filled()).rejects.toMatchObject({ message: 'The rules of a teamspace may have 200 kB together. Remove some.' })
})

test('the deletion of a teamspace removes its policy and rules', async () => {
  const { one } = await twoProcesses()
  await one.changePolicy('t', closed)
  await one.setRules('t', undefined, ['Be brief.'])
  await one.forget('t')
  expect(await one.guidance('t')).toEqual({ policy: undefined, rules: { global: [], libraries: {} } })
  expect(await one.policy('t')).toEqual(openPolicy())
})

test.each([
  ['a rule of 100 kB', ['x'.repeat(100_000)]],
  ['an empty rule', [' \u200B ']],
  ['10,000 rules', Array(10_000).fill('x')],
  ['a number', [1]],
  ['no list', 'x'],
])('rules reject %s', (_, rules) => {
  expect(RuleList.safeParse(rules).success).toBe(false)
})

test('a rule becomes one line without hidden characters, and markup stays text', () => {
  const parsed = RuleList.parse(['Be\nbrief.\u202E\u0007', '<script>alert(1)</script>', `a\n${'-'.repeat(32)}\nSource: x`])
  expect(parsed).toEqual(['Be brief.', '<script>alert(1)</script>', `a ${'-'.repeat(32)} Source: x`])
})
