import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './evaluate-stage.ts'
import { all, one, type Stages, stageNames } from './stage.ts'

export const limitTests = (stages: () => Stages) => {
  describe.each(stageNames)('limits of stage %s', (name) => {
    const perSecond = name === 'production' ? 200 : 100

    test('API Gateway, which can be reached without the Router, passes on a limited number of requests', () => {
      expect(one(stages()[name], 'apigatewayv2/stage', 'Gateway').inputs.defaultRouteSettings).toEqual({
        throttlingRateLimit: perSecond,
        throttlingBurstLimit: 2 * perSecond,
      })
    })

    test('each function has a maximum of concurrent runs, the schedule one', () => {
      const reserved = all(stages()[name], 'lambda/function').map(({ name: lambda, inputs }) => [
        lambda.replace(/Function$/, ''),
        inputs.reservedConcurrentExecutions,
      ])
      expect(Object.fromEntries(reserved)).toEqual({
        Api: perSecond,
        Dashboard: 20,
        Export: 10,
        Bundle: 5,
        ApplyUsage: 50,
        StartWorker: 5,
        ReplayUsage: 1,
        Schedule: 1,
        Checks: 1,
      })
    })

    test('the quota of concurrent runs that the pages name is that of all functions and the 100 that AWS keeps', () => {
      const reserved = all(stages()[name], 'lambda/function').map(({ inputs }) => Number(inputs.reservedConcurrentExecutions))
      const quota = reserved.reduce((sum, runs) => sum + runs, 100) - (perSecond - 100)
      for (const page of ['hosted', 'first-deploy']) {
        const text = readFileSync(join(root, `docs/${page}.md`), 'utf8')
        expect(/quota of (\d+) or more/.exec(text)?.[1], page).toBe(String(quota))
      }
    })

    test('the Router has a web ACL that limits each address, judges no content and takes no samples', () => {
      const stage = stages()[name]
      const acl = one(stage, 'wafv2/webAcl', 'Router')
      const [rule, ...others] = acl.inputs.rules
      expect(others).toEqual([])
      expect(rule).toMatchObject({
        action: { block: {} },
        statement: { rateBasedStatement: { limit: 3_000, aggregateKeyType: 'IP' } },
      })
      expect(acl.inputs).toMatchObject({ scope: 'CLOUDFRONT', defaultAction: { allow: {} } })
      expect([rule.visibilityConfig, acl.inputs.visibilityConfig].map((config) => config.sampledRequestsEnabled)).toEqual([
        false,
        false,
      ])
      expect(one(stage, 'cloudfront/distribution', 'Router').inputs.webAclId).toMatch(/^arn:aws:wafv2:.*RouterWaf/)
    })

    test.each(['Api', 'Dashboard'])('the limits of callers reach the function %s as they were set', (lambda) => {
      const { variables } = one(stages()[name], 'lambda/function', lambda).inputs.environment
      expect(variables.REQUEST_LIMITS).toBe(name === 'production' ? '{"anonymous":{"minute":30}}' : undefined)
    })

    test('the costs of a month have a budget that notifies the topic of the alarms', () => {
      const { limitAmount, limitUnit, timeUnit, notifications } = one(stages()[name], 'budgets/budget', 'Budget').inputs
      expect({ limitAmount, limitUnit, timeUnit }).toEqual({
        limitAmount: name === 'production' ? '900' : '50',
        limitUnit: 'USD',
        timeUnit: 'MONTHLY',
      })
      const seen = notifications.map((each: Record<string, unknown>) => `${each.notificationType} ${each.threshold}`)
      expect(seen).toEqual(['ACTUAL 80', 'ACTUAL 100', 'FORECASTED 100'])
      for (const each of notifications)
        expect(each.subscriberSnsTopicArns).toEqual([expect.stringMatching(/^arn:aws:sns:.*-Alarms$/)])
    })
  })
}
