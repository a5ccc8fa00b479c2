import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = new URL('../..', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('the configurations of hosted CI run .ci/run', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml')) as { jobs: { ci: { steps: { run?: string }[] } } }
  const { ci } = parse(read('.gitlab-ci.yml')) as { ci: { script: string[] } }
  expect([jobs.ci.steps.at(-1)?.run, ci.script]).toEqual(['.ci/run', ['.ci/run']])
})

test('the changelog describes the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const [released] = [...read('CHANGELOG.md').matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, name]) => name)
  expect(released).toBe(version)
})

test('no line of a shell script is longer than 160 characters', () => {
  const scripts = ['.ci/run', ...globSync('{tools,examples}/*.sh', { cwd: root })]
  const long = scripts.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, at) => (line.length > 160 ? `${path}:${at + 1}` : [])),
  )
  expect(long).toEqual([])
})

test('NOTICE names a source for each language of the lexicon', () => {
  const languages = Object.keys(JSON.parse(read('shared/search/words/data/lexicon.json')))
  const notice = read('NOTICE')
  expect(languages.filter((language) => !notice.includes(`(${language}) `))).toEqual([])
})

test('server.json, for MCP registries, has the version of the package and no host name', () => {
  const server = JSON.parse(read('server.json'))
  expect(server).toMatchObject({
    // A domain in reverse, which every organization replaces by its own, and the name of the server.
    name: 'com.example/carrel',
    title: 'Carrel',
    version: JSON.parse(read('package.json')).version,
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: { host: { isRequired: true } },
        headers: [{ name: 'Authorization', isSecret: true, placeholder: 'Bearer YOUR_KEY' }],
      },
    ],
  })
  // A limit of the registry's schema.
  expect(server.description.length).toBeLessThanOrEqual(100)
})
