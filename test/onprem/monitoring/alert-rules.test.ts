import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { requireProgram } from '../../fixtures/require-program.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const rulesFile = new URL('../../../onprem/monitoring/alert-rules.yaml', import.meta.url).pathname
const dashboardFile = new URL('../../../onprem/monitoring/grafana-dashboard.json', import.meta.url).pathname
const casesFile = new URL('alert-rule-cases.yaml', import.meta.url).pathname

// The download of Prometheus takes a second, or more on a slow line.
beforeAll(() => requireProgram('promtool'), 120_000)

const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('Prometheus accepts the alert rules, and each alert fires when it must and not earlier', () => {
  expect(promtool('check', 'rules', rulesFile)).toMatchObject({ status: 0, output: expect.stringMatching(/\b18 rules found/) })
  expect(promtool('test', 'rules', casesFile)).toMatchObject({ status: 0, output: expect.stringContaining('SUCCESS') })
})

test('each alert has a case in which it fires', () => {
  const { groups } = parse(readFileSync(rulesFile, 'utf8'))
  const alerts: string[] = groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert))
  const cases = readFileSync(casesFile, 'utf8')
  expect(alerts.filter((alert) => !cases.includes(`alertname="${alert}"`))).toEqual([])
})

test('Prometheus accepts every expression of the dashboard', () => {
  const expressions = [...readFileSync(dashboardFile, 'utf8').matchAll(/"expr": (".*")/g)].map(([, text = '']) =>
    JSON.parse(text).replaceAll('$__rate_interval', '5m'),
  )
  expect(expressions.length).toBeGreaterThan(30)
  const rules = expressions.map((expr, index) => ({ record: `panel_${index}`, expr }))
  const file = join(tempDir(), 'rules.yaml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  expect(promtool('check', 'rules', file)).toMatchObject({ status: 0, output: expect.stringContaining('rules found') })
})
