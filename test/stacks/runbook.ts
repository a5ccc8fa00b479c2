import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, type Stage } from './evaluate-stage.ts'
import { all, type Stages, stageNames } from './stage.ts'

const [, section = ''] = /^## Alarms$([\s\S]*?)^## /m.exec(readFileSync(join(root, 'docs/runbook.md'), 'utf8')) ?? []

/** The alarms of the runbook's sections. */
export const describedAlarms = [...section.matchAll(/^### (.+)$/gm)].flatMap(([, heading = '']) =>
  [...heading.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
)

/** The alarms that a stage has only if its API is a service. */
export const alarmsOfService = ['ApiBalancerErrors', 'ApiTaskErrors']

export const alarmsOf = (stage: Stage): string[] => all(stage, 'cloudwatch/metricAlarm').map(({ name }) => name)

export const runbookTests = (stages: () => Stages) => {
  test.each(stageNames)('every alarm of stage %s has one section in the runbook, and every section an alarm', (name) => {
    expect(describedAlarms.toSorted()).toEqual([...alarmsOf(stages()[name]), ...alarmsOfService].sort())
  })
}
