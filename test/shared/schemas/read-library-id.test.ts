import { expect, test } from 'vitest'
import { printLibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { visibleText } from '../../../shared/text/visible-text.ts'
import { failure } from '../../fixtures/failure.ts'

test.each([
  ['/vercel/next.js', '/vercel/next.js'],
  ['vercel/next.js', '/vercel/next.js'],
  ['/vercel/next.js/', '/vercel/next.js'],
  ['//vercel//next.js', '/vercel/next.js'],
  ['"/vercel/next.js"', '/vercel/next.js'],
  ["'vercel/next.js@v15'", '/vercel/next.js@v15'],
  ['`/vercel/next.js`', '/vercel/next.js'],
  ['vercel/next.js/v15/', '/vercel/next.js@v15'],
  ['/acme/widgets/release/1.0', '/acme/widgets@release~1.0'],
  ['/acme/widgets.git', '/acme/widgets'],
  ['https://github.com/vercel/next.js', '/vercel/next.js'],
  ['http://www.github.com/vercel/next.js/', '/vercel/next.js'],
  ['github.com/vercel/next.js', '/vercel/next.js'],
  ['/github.com/vercel/next.js', '/vercel/next.js'],
  ['https://github.com/vercel/next.js.git', '/vercel/next.js'],
  ['git@github.com:vercel/next.js.git', '/vercel/next.js'],
  ['ssh://git@github.com/vercel/next.js', '/vercel/next.js'],
  ['https://github.com/vercel/next.js?tab=readme-ov-file#readme', '/vercel/next.js'],
  ['https://github.com/vercel/next.js/tree/v15.1.0', '/vercel/next.js@v15.1.0'],
  ['https://github.com/vercel/next.js/tree/release/15', '/vercel/next.js@release~15'],
  ['https://github.com/vercel/next.js/blob/canary/docs/index.mdx', '/vercel/next.js'],
  ['https://github.com/vercel/next.js/issues/1', '/vercel/next.js'],
  ['https://gitlab.com/group/sub/project', '/group~sub/project'],
  ['https://gitlab.com/group/sub/project/-/tree/v2', '/group~sub/project@v2'],
  ['https://git.example.com:8443/team/app', '/team/app'],
  ['http://127.0.0.1:3000/acme/widgets', '/acme/widgets'],
])('the text %s is read as the library %s', (text, id) => {
  expect(printLibraryId(readLibraryId(text))).toBe(id)
})

test.each([
  'widgets',
  '/widgets/',
  'github.com/vercel',
  'https://github.com',
  'https://react.dev',
  'https://react.dev/reference/react/useState',
  '"/acme/widgets',
  '<id>/acme/widgets',
  'acme/../widgets',
  'acme/widgets/../x',
  'https://github.com/../widgets',
  ' /acme/widgets',
  'acme/widgets\n',
  'acme/\u202Ewidgets',
])('the text %j is rejected with the expected form', async (text) => {
  expect(await failure((async () => readLibraryId(text))())).toMatchObject({
    code: 'invalid_library_id',
    message: expect.stringMatching(/; expected \/owner\/repo, \/owner\/repo\/version or \/owner\/repo@version\.$/),
  })
})

test.each([' /acme/widgets ', 'acme/widgets\n', 'acme/wid gets'])(
  'the error about white space in %j quotes what was typed',
  async (text) => {
    const { message } = await failure((async () => readLibraryId(text))())
    expect(message.split('" is not a library id: ')).toEqual([
      `"${visibleText(text)}`,
      expect.stringMatching(/^it contains white space/),
    ])
  },
)

test('a version with a slash after @ is rejected with the way to write the slash', async () => {
  expect((await failure((async () => readLibraryId('/acme/widgets@release/1.0'))())).message).toBe(
    '"/acme/widgets@release/1.0" is not a library id: the version is given twice; a slash in a version is written as "~"; expected /owner/repo, /owner/repo/version or /owner/repo@version.',
  )
})
