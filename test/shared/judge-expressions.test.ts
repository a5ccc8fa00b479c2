import { beforeAll, expect, test } from 'vitest'
import { installTool } from '../../tools/install-tool.ts'
import { findExpressions } from '../expressions/find-expressions.ts'
import { judgeExpressions } from '../expressions/judge-expressions.ts'

const source = `
type Text = string // /not-one+/
export const bad = (text: Text) => /(a+)+$/.test(text)
export const good = (text: Text) => /^a+$/.test(text) && text.length / 2 / 3 > 1
export const built = (name: Text) => new RegExp(\`\${name}+\`)
`
const found = () => findExpressions('shared/planted.ts', source)
const [bad, built] = ['/(a+)+$/', 'new RegExp(`${name}+`)']

beforeAll(() => installTool('recheck'), 300_000)

test('each regular expression of a source is found, and no other text', () => {
  expect(found().map(({ line, text }) => [line, text])).toEqual([
    [3, bad],
    [4, '/^a+$/'],
    [5, built],
  ])
})

test('an expression that takes exponential time fails the check, and so does one that is built at run time', async () => {
  const problems = await judgeExpressions(found(), [], new Map())
  expect(problems).toEqual([
    expect.stringMatching(/^shared\/planted\.ts:3 .*exponential/),
    expect.stringMatching(/^shared\/planted\.ts:5 .*cannot be checked$/),
  ])
})

test('a listed expression passes, and a listed one that is not in the source fails the check', async () => {
  const allowed = [{ files: 'shared/', reason: 'planted', expressions: [bad, built, '/gone/'] }]
  expect(await judgeExpressions(found(), allowed, new Map())).toEqual([
    'shared/ /gone/ is allowed, but is not in the source any more',
  ])
})

test('a check that runs out of time fails, and the next run tries again', async () => {
  const [hard] = findExpressions('shared/planted.ts', 'const hard = /(x|y{1,40}z?){1,40}w/')
  const expressions = hard ? [hard] : []
  const verdicts = new Map()
  expect(await judgeExpressions(expressions, [], verdicts, { timeout: 1 })).toEqual([
    expect.stringMatching(/cannot be checked: timeout$/),
  ])
  expect(await judgeExpressions(expressions, [], verdicts)).toEqual([expect.stringMatching(/polynomial|exponential/)])
})
