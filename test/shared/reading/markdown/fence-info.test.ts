import { expect, test } from 'vitest'
import { readFenceInfo } from '../../../../shared/reading/markdown/fence-info.ts'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf } from '../page-text.ts'

test.each([
  ['title=".config"', { language: '', label: '.config' }],
  ['title="first file.py" hl_lines="2"', { language: '', label: 'first file.py' }],
  ['hl_lines="4"', { language: '' }],
  ['{ title="app.py" hl_lines="4" }', { language: '', label: 'app.py' }],
  ['{ .yaml .annotate title="mkdocs.yml" }', { language: 'yaml', label: 'mkdocs.yml' }],
  ['{#listing .python}', { language: 'python' }],
  ['{r, echo=FALSE}', { language: 'r' }],
  ['js {1,3-5}', { language: 'js' }],
  ['js [[1, 3, "usePlace()"], [2, 4, "place"]]', { language: 'js' }],
  ['js src/App.js active', { language: 'js', label: 'src/App.js' }],
  ['css src/styles.css hidden', { language: 'css', label: 'src/styles.css' }],
  ['sh npm run build', { language: 'sh' }],
])('the info string %s of a Markdown fence gives its language and label', (info, expected) => {
  expect(readFenceInfo(info, false)).toEqual(expected)
})

test.each([
  ['js {2} [[1, 3, "use(a)"]]', { language: 'js' }],
  ['js App.js active', { language: 'js', label: 'App.js' }],
  ['bash tab npm2yarn', { language: 'bash' }],
  ['js config.js hidden twoslash', { language: 'js', label: 'config.js' }],
])('the info string %s of an MDX fence gives no label of flags and steps', (info, expected) => {
  expect(readFenceInfo(info, true)).toEqual(expected)
})

test('a fence whose info string is only options has code without a language', async () => {
  const page = await markdownReader('``` title=".config"\na = 1\n```\n\n``` hl_lines="1"\nb\n```', contextOf('page.md'))
  expect(codeOf(page)).toMatchObject([
    { code: 'a = 1', language: '', label: '.config' },
    { code: 'b', language: '' },
  ])
})
