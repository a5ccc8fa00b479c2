import { describe, expect, test } from 'vitest'
import { mayDo, mayDoInProduction } from './may-do.ts'
import { rolesOf, type Stages, type Statement, stageNames } from './stage.ts'

/** The actions for which AWS takes no resource but `*`. */
const withoutResource = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'ecr:GetAuthorizationToken']

export const permissionTests = (stages: () => Stages) => {
  describe.each(stageNames)('permissions of stage %s', (name) => {
    test('every role has exactly these permissions', () => {
      expect(
        Object.fromEntries(
          Object.entries(rolesOf(stages()[name])).map(([role, { statements }]) => [role, byResource(statements)]),
        ),
      ).toEqual(name === 'production' ? { ...mayDo, ...mayDoInProduction } : mayDo)
    })

    test('no grant on some items allows a request that names none', () => {
      const ofItems = Object.values(rolesOf(stages()[name])).flatMap(({ statements }) =>
        statements.filter(({ Action }) => Action.some((action) => /^dynamodb:(\w*Item|Query|Scan)$/.test(action))),
      )
      const restricted = ofItems.filter(({ Resource }) => !Resource.some((arn) => arn.includes('-SaltsTable-')))
      expect(restricted.length).toBeGreaterThan(10)
      for (const { Action, Condition } of restricted) {
        expect(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'], Action.join()).toBeDefined()
        expect(Condition?.Null, Action.join()).toEqual({ 'dynamodb:LeadingKeys': ['false'] })
      }
    })

    test('no resource is a wildcard, unless AWS has no narrower one', () => {
      for (const [role, { statements }] of Object.entries(rolesOf(stages()[name])))
        for (const { Action, Resource, Effect } of statements) {
          expect(Effect).toBe('Allow')
          for (const action of Action) expect(action, role).not.toContain('*')
          if (Resource.includes('*')) expect(withoutResource, role).toEqual(expect.arrayContaining(Action))
          else for (const resource of Resource) expect(resource, role).toMatch(/^arn:aws:[a-z0-9]+:[^*]*[\w:/-](\/\*|:\*)?$/)
        }
    })

    test('every role has no managed policy and trusts one service', () => {
      for (const [role, { managed, trust }] of Object.entries(rolesOf(stages()[name]))) {
        expect(managed, role).toEqual([])
        expect(trust.Statement, role).toHaveLength(1)
        expect(Object.keys(trust.Statement[0].Principal), role).toEqual(['Service'])
        expect([trust.Statement[0].Principal.Service].flat(), role).toHaveLength(1)
      }
    })

    test('the starter can start only workers, in their cluster and with their roles', () => {
      const roles = rolesOf(stages()[name])
      const conditionOf = (role: string, action: string) =>
        roles[role]?.statements.find(({ Action }) => Action.includes(action))?.Condition
      expect(conditionOf('StartWorkerRole', 'iam:PassRole')).toEqual({
        StringEquals: { 'iam:PassedToService': ['ecs-tasks.amazonaws.com'] },
      })
      expect(conditionOf('StartWorkerRole', 'ecs:RunTask')?.ArnEquals['ecs:cluster'][0]).toMatch(
        /:cluster\/carrel-\w+-ClusterCluster/,
      )
    })
  })
}

/**
 * Actions by a readable name of the resource: `arn:aws:dynamodb:…:table/carrel-dev-TableTable-abc` is `Table`, or `Table JOBS` if the
 * statement is restricted to partition keys that begin with JOBS.
 */
export function byResource(statements: Statement[]): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const { Action, Resource, Condition } of statements)
    for (const name of Resource.map(shortName).flatMap((name) => prefixesOf(Condition).map((prefix) => name + prefix)))
      found[name] = [...(found[name] ?? []), ...Action]
  return found
}

function prefixesOf(condition: Statement['Condition']): string[] {
  const keys: string[] = condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? ['*']
  return keys.map((key) => key.replace(/\*$/, '')).map((prefix) => (prefix === '' ? '' : ` ${prefix}`))
}

function shortName(arn: string): string {
  const own = /carrel-\w+-(\w+?)(?:Table|Stream|Queue)-\w+$/.exec(arn)?.[1]
  const kinds: [RegExp, string][] = [
    [/:log-group:\/carrel\/\w+\/(\w+):\*$/, 'log '],
    [/:task-definition\/(\w+)Task:1$/, 'task '],
    [/:role\/carrel-\w+-(\w+)-\w+$/, 'role '],
    [/:function:carrel-\w+-(\w+)Function-\w+$/, 'function '],
    [/:key\/(\w+)$/, 'key '],
    [/:repository\/(\w+)$/, 'repository '],
    [/:parameter\/carrel\/\w+\/([\w/-]+)$/, 'parameter '],
    [/:table\/carrel-\w+-(\w+?)Table-\w+\/backup\/\*$/, 'backups of '],
    [/^arn:aws:ses:[\w-]+:\d+:identity\/(.+)$/, 'identity '],
    [/^arn:aws:s3:::(.+)$/, ''],
  ]
  for (const [pattern, kind] of kinds) {
    const match = pattern.exec(arn)
    if (match) return kind + match[1]
  }
  return own ?? arn
}
