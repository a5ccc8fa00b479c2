import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { readManifest } from '../../../shared/packages/read-manifest.ts'
import { recognize } from '../../../shared/packages/recognize.ts'
import { defaultGitHosts } from '../../../shared/reading/git/git-hosts.ts'

const namesIn = (text: string, fileName: string) =>
  readManifest(text, fileName)?.map((each) => ('repository' in each ? each.repository : each.name))

const refusal = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    return error instanceof AppError && error.code === 'validation_error' ? error.message : `${error}`
  }
  return 'accepted'
}

const cyclic: [fileName: string, text: string][] = [
  [
    'package-lock.json',
    JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { workspaces: ['a', 'b'], dependencies: { react: '^18.0.0' } },
        a: { dependencies: { b: 'file:../b' } },
        b: { dependencies: { a: 'file:../a' } },
        'node_modules/a': { link: true, resolved: 'a' },
        'node_modules/b': { link: true, resolved: 'b' },
        'a/node_modules/b': { link: true, resolved: 'a/node_modules/b' },
      },
    }),
  ],
  [
    'pnpm-lock.yaml',
    `lockfileVersion: '9.0'
importers:
  a:
    dependencies:
      b: {specifier: 'workspace:*', version: 'link:../b'}
      react: {specifier: ^18.0.0, version: 18.2.0}
  b:
    dependencies:
      a: {specifier: 'workspace:*', version: 'link:../a'}
`,
  ],
  [
    'yarn.lock',
    `__metadata:
  version: 8

"a@workspace:*, a@workspace:a":
  version: 0.0.0-use.local
  dependencies:
    b: "workspace:*"

"b@workspace:*, b@workspace:b":
  version: 0.0.0-use.local
  dependencies:
    a: "workspace:*"

"react@npm:^18.0.0":
  version: 18.2.0
`,
  ],
  [
    'uv.lock',
    `[[package]]
name = "a"
version = "0.1.0"
source = { editable = "a" }
dependencies = [{ name = "b" }]

[[package]]
name = "b"
version = "0.1.0"
source = { editable = "b" }
dependencies = [{ name = "a" }]

[[package]]
name = "react"
version = "1.0.0"
source = { registry = "https://pypi.org/simple" }
`,
  ],
  [
    'Cargo.lock',
    `[[package]]
name = "a"
version = "0.1.0"
dependencies = ["b"]

[[package]]
name = "b"
version = "0.1.0"
dependencies = ["a"]

[[package]]
name = "react"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
`,
  ],
]

test.each(cyclic)('workspaces of a %s that depend on each other are no packages', (fileName, text) => {
  expect(namesIn(text, fileName)).toEqual(['react'])
})

const hostile = [
  '<img/src=x>',
  'a\u202Eb',
  'x'.repeat(1_000),
  '../../etc/passwd',
  '-rf',
  '$(id)',
  "'; drop table",
  'http://',
  'a\u0007b',
]
const each = (line: (name: string) => string): string => [...hostile, 'good'].map(line).join('\n')
const jsonNames = Object.fromEntries([...hostile, 'good'].map((name) => [name, '1.0.0']))
const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

test.each([
  ['package.json', JSON.stringify({ dependencies: jsonNames }), 'good'],
  ['package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies: jsonNames } } }), 'good'],
  [
    'pnpm-lock.yaml',
    `lockfileVersion: 9\nimporters:\n  .:\n    dependencies:\n${each((name) => `      ${JSON.stringify(name)}: {specifier: ^1, version: 1.0.0}`)}\n`,
    'good',
  ],
  ['yarn.lock', `# yarn lockfile v1\n\n${each((name) => `"${name}@^1.0.0":\n  version "1.0.0"\n`)}`, 'good'],
  ['requirements.txt', each((name) => `${name}==1.0.0`), 'good'],
  ['pyproject.toml', `[project]\ndependencies = [${each((name) => `${JSON.stringify(`${name}==1.0.0`)},`)}]\n`, 'good'],
  ['poetry.lock', each((name) => `[[package]]\nname = ${JSON.stringify(name)}\nversion = "1.0.0"\n`), 'good'],
  ['go.mod', `module x\n${each((name) => `require example.com/${name} v1.0.0`)}`, 'example.com/good'],
  ['Cargo.toml', `[dependencies]\n${each((name) => `${JSON.stringify(name)} = "1.0.0"`)}\n`, 'good'],
  [
    'Cargo.lock',
    each((name) => `[[package]]\nname = ${JSON.stringify(name)}\nversion = "1.0.0"\nsource = "registry+https://example.com"\n`),
    'good',
  ],
  [
    'pom.xml',
    `<project>${each((name) => `<dependency><groupId>g</groupId><artifactId>${xml(name)}</artifactId></dependency>`)}</project>`,
    'g:good',
  ],
])('the names of a %s that no registry allows reach no answer', (fileName, text, good) => {
  const names = namesIn(text, fileName) ?? []
  expect(names).toContain(good)
  for (const name of names) {
    expect(name).toMatch(/^[\w@./:~-]{1,214}$/)
    expect(name).not.toContain('..')
  }
})

test.each([
  ['package-lock.json', '{"lockfileVersion": 3, "packages": {"node_modules/a": {"dependencies": {"b": "1"}}, "', 'a'],
  ['pnpm-lock.yaml', 'lockfileVersion: 9\npackages:\n', '  a@1: {}\n'],
  ['yarn.lock', '# yarn lockfile v1\n', '"@a/b@'],
  ['yarn.lock', '# yarn lockfile v1\n', '\n'],
  ['yarn.lock', '# yarn lockfile v1\n', ' '],
  ['Cargo.lock', '[[package]]\n', 'name = "'],
  ['uv.lock', '[[package]]\n', '[['],
  ['poetry.lock', '[[package]]\n', ' ='],
])('a %s of 10 MB that begins with %j and repeats %j ends in an answer or an error', (fileName, start, part) => {
  const text = start + part.repeat(Math.floor((10 * 2 ** 20 - start.length) / part.length))
  const [first] = refusal(() => readManifest(text, fileName)).split('\n')
  expect(first).toMatch(new RegExp(`^(?:accepted|${fileName} cannot be read: .{1,200})$`))
})

test('a package.json that holds YAML is refused with its name', () => {
  const yaml = 'name: app\ndependencies:\n  react: ^18.0.0\n'
  expect(refusal(() => readManifest(yaml, 'package.json'))).toMatch(/^package\.json cannot be read: /)
})

test.each([
  ['a named manifest', 'package.json'],
  ['a list', 'list.txt'],
  ['a paste', undefined],
])('the bytes of a program as %s are refused', (_, fileName) => {
  const binary = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0xff, 0xfe, 0x80]).toString('utf8')
  expect(refusal(() => recognize(binary, defaultGitHosts, fileName))).toMatch(/is not a text file\.$/)
})
