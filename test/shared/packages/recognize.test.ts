import { expect, test } from 'vitest'
import { recognize, treeUrl } from '../../../shared/packages/recognize.ts'
import { defaultGitHosts, type GitHosts } from '../../../shared/reading/git/git-hosts.ts'

const recognized = (text: string, hosts: GitHosts = defaultGitHosts) => {
  const { repositories, unknown } = recognize(text, hosts)
  return { repositories: repositories.map(({ address, folders }) => [treeUrl(address), ...folders].join(' ')), unknown }
}
const repositoriesIn = (text: string) => recognized(text).repositories
const problemOf = (text: string) => recognized(text).unknown[0]?.problem

const react = 'https://github.com/reactjs/react.dev src/content'

test.each([
  ['honojs/website', 'https://github.com/honojs/website'],
  [' \t honojs/website \n', 'https://github.com/honojs/website'],
  ['\u200Bhonojs/website\u202E', 'https://github.com/honojs/website'],
  ['https://github.com/honojs/website', 'https://github.com/honojs/website'],
  ['git@github.com:honojs/website.git', 'https://github.com/honojs/website'],
  ['ssh://git@gitlab.com/group/sub/project.git', 'https://gitlab.com/group/sub/project'],
  ['github:honojs/website', 'https://github.com/honojs/website'],
  ['gitlab:group/sub/project', 'https://gitlab.com/group/sub/project'],
  ['https://gitlab.com/group/sub/project', 'https://gitlab.com/group/sub/project'],
  ['https://github.com/honojs/website/tree/main/docs', 'https://github.com/honojs/website/tree/main/docs'],
  ['https://gitlab.com/a/b/-/tree/main/docs', 'https://gitlab.com/a/b/-/tree/main/docs'],
])('the text %j means the repository %s', (text, repository) => {
  expect(recognized(text)).toEqual({ repositories: [repository], unknown: [] })
})

test.each([
  ['https://github.com/honojs/website/issues/3', 'https://github.com/honojs/website'],
  ['https://github.com/honojs/website/pull/3/files#diff-1', 'https://github.com/honojs/website'],
  ['https://github.com/honojs/website/releases/tag/v1', 'https://github.com/honojs/website'],
  ['https://github.com/honojs/website/wiki/Home', 'https://github.com/honojs/website'],
  [
    'https://github.com/honojs/website/blob/main/docs/guide/x.md?plain=1',
    'https://github.com/honojs/website/tree/main/docs/guide',
  ],
  ['https://gitlab.com/group/sub/project/-/issues/1', 'https://gitlab.com/group/sub/project'],
  ['https://gitlab.com/a/b/-/blob/main/docs/x.md', 'https://gitlab.com/a/b/-/tree/main/docs'],
])('the page %s means its repository', (text, repository) => {
  expect(recognized(text)).toEqual({ repositories: [repository], unknown: [] })
})

test.each([
  ['react'],
  ['React'],
  ['npm:react'],
  ['@types/react'],
  ['https://www.npmjs.com/package/react'],
  ['npmjs.com/package/react/v/18.2.0?activeTab=versions'],
])('the text %j means the documentation of React', (text) => {
  expect(repositoriesIn(text)).toEqual([react])
})

test.each([
  ['https://www.npmjs.com/package/@tanstack/react-query', 'https://github.com/TanStack/query docs'],
  ['https://www.npmjs.com/package/@tanstack%2Freact-query', 'https://github.com/TanStack/query docs'],
  ['https://pypi.org/project/FastAPI/', 'https://github.com/fastapi/fastapi docs/en/docs'],
  ['https://pypi.org/project/Hugging_Face.Hub/', undefined],
  ['https://pypi.org/project/huggingface_hub/0.20/', 'https://github.com/huggingface/huggingface_hub docs/source/en'],
  ['https://crates.io/crates/serde_json/1.0.0', 'https://github.com/serde-rs/serde-rs.github.io _src'],
  ['https://docs.rs/tokio/latest/tokio/', 'https://github.com/tokio-rs/website content'],
  ['https://pkg.go.dev/github.com/gin-gonic/gin/binding', 'https://github.com/gin-gonic/gin docs'],
  ['https://pkg.go.dev/gorm.io/gorm@v1.25.0', 'https://github.com/go-gorm/gorm.io pages/docs'],
  ['https://pkg.go.dev/github.com/nobody/nothing/v2/inner', 'https://github.com/nobody/nothing'],
  ['https://pkg.go.dev/golang.org/x/tools/gopls', 'https://github.com/golang/tools'],
  ['https://central.sonatype.com/artifact/org.mockito/mockito-core/5.0.0', 'https://github.com/mockito/mockito'],
  [
    'https://mvnrepository.com/artifact/org.springframework/spring-web',
    'https://github.com/spring-projects/spring-framework framework-docs',
  ],
  ['https://www.nuget.org/packages/Serilog.Sinks.Console/5.0.0', 'https://github.com/serilog/serilog'],
  ['https://rubygems.org/gems/activerecord', 'https://github.com/rails/rails guides/source'],
])('the page %s of a registry means %s', (text, repository) => {
  expect(repositoriesIn(text)).toEqual(repository === undefined ? [] : [repository])
})

test('a pasted title may have spaces', () => {
  expect(repositoriesIn('ruby on rails')).toEqual(['https://github.com/rails/rails guides/source'])
})

test('a package with its registry means no package of another one', () => {
  expect(repositoriesIn('pypi:redis')).toEqual(['https://github.com/redis/redis-py docs'])
  expect(problemOf('npm:redis')).toMatch(/^No repository of "npm:redis" is known here\./)
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'npm:__proto__'])(
  'the name %s means no repository',
  (text) => {
    expect(problemOf(text)).toMatch(/^No repository of /)
  },
)

test('recognition names each repository once, with all names that mean it', () => {
  const { repositories } = recognize(
    'react, react-dom\nReact reactjs/react.dev https://github.com/ReactJS/react.dev',
    defaultGitHosts,
  )
  expect(repositories.map(({ names }) => names)).toEqual([
    ['react', 'react-dom', 'React', 'reactjs/react.dev', 'https://github.com/ReactJS/react.dev'],
  ])
})

test('a paste may have many addresses and names, separated by lines, commas, semicolons and spaces', () => {
  expect(repositoriesIn('a/b;c/d, e/f\r\ng/h https://github.com/i/j/issues\n\n')).toEqual(
    ['a/b', 'c/d', 'e/f', 'g/h', 'i/j'].map((id) => `https://github.com/${id}`),
  )
})

test.each([
  ['https://docs.python.org/3/', 'Add this documentation as a website, or send the address of its git repository'],
  ['vuejs.org', 'not from https://vuejs.org. Add this documentation as a website,'],
  ['https://hono.dev/llms.txt', 'Add this file as an llms.txt, or send'],
  ['https://packagist.org/packages/laravel/laravel', 'Packagist is a package registry. To add a package, send the address'],
  ['no-such-package', 'No repository of "no-such-package" is known here. Send the address of the repository'],
])('the text %s gets the advice "%s"', (text, advice) => {
  expect(problemOf(text)).toContain(advice)
})

test('an address with a typing error in its host gets the probable one as a suggestion', () => {
  expect(recognized('https://githb.com/a/b')).toEqual({
    repositories: [],
    unknown: [expect.objectContaining({ name: 'https://githb.com/a/b', suggestion: 'https://github.com/a/b' })],
  })
})

test('an address with a token is shown without it', () => {
  const { unknown } = recognized('https://ada:ghp_secret@github.com/a/b')
  expect(unknown).toEqual([expect.objectContaining({ name: 'https://…@github.com/a/b', suggestion: 'https://github.com/a/b' })])
  expect(JSON.stringify(unknown)).not.toContain('ghp_secret')
})

test('recognition accepts repositories only from the hosts of the settings', () => {
  const hosts = { ...defaultGitHosts, github: { baseUrl: 'https://git.example.com' } }
  const { repositories, unknown } = recognized('react https://github.com/a/b a/b', hosts)
  expect(repositories).toEqual(['https://git.example.com/a/b'])
  expect(unknown.map(({ problem }) => problem)).toEqual([
    expect.stringContaining(
      'is in https://github.com/reactjs/react.dev, but repositories are read only from https://git.example.com/',
    ),
    expect.stringContaining('not from https://github.com'),
  ])
})

test.each([
  ['10,000 characters', 'a'.repeat(10_000)],
  ['an address of 10,000 characters', `https://github.com/a/${'b'.repeat(10_000)}`],
  ['markup', '<img/src=x>'],
])('a text of %s is refused with a short name', (_, text) => {
  const [{ name = '' } = {}] = recognized(text).unknown
  expect(name.length).toBeLessThanOrEqual(201)
})

test.each([
  ['a thousand words', Array.from({ length: 1001 }, (_, at) => `a${at}/b`).join(' ')],
  ['512 kB', 'a/b '.repeat(200_000)],
])('a paste of more than %s is refused', (_, text) => {
  expect(() => recognize(text, defaultGitHosts)).toThrow('This is more than 1,000 names and addresses. Send fewer at once.')
})
