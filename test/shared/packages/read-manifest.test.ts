import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { readManifest } from '../../../shared/packages/read-manifest.ts'

/** `ecosystem:name@version`, or the address of a repository. */
const packagesIn = (text: string, fileName?: string) =>
  readManifest(text, fileName)?.map((each) =>
    'repository' in each
      ? each.repository
      : `${each.ecosystem}:${each.name}${each.version === undefined ? '' : `@${each.version}`}`,
  )

const refusal = (text: string, fileName?: string): string => {
  try {
    packagesIn(text, fileName)
  } catch (error) {
    return error instanceof AppError && error.code === 'validation_error' ? error.message : `${error}`
  }
  return 'accepted'
}

const files: [name: string, text: string, packages: string[]][] = [
  [
    'package.json',
    JSON.stringify({
      dependencies: { react: '^18.2.0', vue: '3.4.0', alias: 'npm:hono@4.0.0', ours: 'workspace:*', near: 'file:../near' },
      devDependencies: { forked: 'github:owner/forked#main', other: 'git+https://gitlab.com/a/b.git#v1', react: '18.0.0' },
      peerDependencies: { zod: '*' },
      optionalDependencies: { '@scope/name': '1.0.0' },
    }),
    [
      'npm:react',
      'npm:vue@3.4.0',
      'npm:hono@4.0.0',
      'github:owner/forked',
      'https://gitlab.com/a/b.git',
      'npm:zod',
      'npm:@scope/name@1.0.0',
    ],
  ],
  [
    'package-lock.json',
    JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { react: '^18.0.0' }, devDependencies: { vite: '^5.0.0' } },
        'packages/a': { dependencies: { hono: '^4.0.0' } },
        'node_modules/a': { link: true, resolved: 'packages/a' },
        'node_modules/react': { version: '18.2.0', dependencies: { 'loose-envify': '^1.1.0' } },
        'node_modules/hono': { version: '4.1.2' },
      },
    }),
    ['npm:react@18.2.0', 'npm:vite', 'npm:hono@4.1.2'],
  ],
  [
    'npm-shrinkwrap.json',
    JSON.stringify({ lockfileVersion: 1, dependencies: { react: { version: '18.2.0' } } }),
    ['npm:react@18.2.0'],
  ],
  [
    'pnpm-lock.yaml',
    [
      "lockfileVersion: '9.0'",
      'importers:',
      '  .:',
      '    dependencies:',
      '      react:',
      '        specifier: ^18.0.0',
      '        version: 18.2.0',
      '  packages/a:',
      '    devDependencies:',
      "      '@tanstack/react-query':",
      '        specifier: ^5.0.0',
      '        version: 5.1.0(react@18.2.0)',
      '      b:',
      '        specifier: workspace:*',
      '        version: link:../b',
      'packages:',
      "  'loose-envify@1.4.0':",
      '    resolution: {integrity: sha512-x}',
    ].join('\n'),
    ['npm:react@18.2.0', 'npm:@tanstack/react-query@5.1.0'],
  ],
  [
    'pnpm-lock.yaml',
    'lockfileVersion: 5.4\nspecifiers:\n  react: ^18.0.0\ndependencies:\n  react: 18.2.0_x@1.0.0\npackages:\n  /x/1.0.0: {}\n',
    ['npm:react@18.2.0'],
  ],
  [
    'yarn.lock',
    '# yarn lockfile v1\n\n"@babel/core@^7.0.0", "@babel/core@^7.1.0":\n  version "7.23.0"\n  dependencies:\n    semver "^6.0.0"\n\nreact@^18.0.0:\n  version "18.2.0"\n',
    ['npm:@babel/core@7.23.0', 'npm:react@18.2.0'],
  ],
  [
    'yarn.lock',
    '__metadata:\n  version: 8\n\n"react@npm:^18.0.0":\n  version: 18.2.0\n  resolution: "react@npm:18.2.0"\n\n"ours@workspace:.":\n  version: 0.0.0-use.local\n',
    ['npm:react@18.2.0'],
  ],
  [
    'requirements.txt',
    '# comment\n-r base.txt\n--index-url https://pypi.example.com\nFastAPI[all]==0.110.0 ; python_version > "3.8"\nnumpy>=1.20  # why\nhuggingface_hub\npandas==2.0.0 \\\n    --hash=sha256:aa\n-e git+https://github.com/a/b@main#egg=b\nours @ git+https://github.com/c/d\n./local\nhttps://example.com/x.whl\n',
    [
      'pypi:fastapi@0.110.0',
      'pypi:numpy',
      'pypi:huggingface-hub',
      'pypi:pandas@2.0.0',
      'https://github.com/a/b',
      'https://github.com/c/d',
    ],
  ],
  [
    'pyproject.toml',
    '[project]\nname = "x"\ndependencies = ["fastapi>=0.1", "Flask==3.0.0"]\n[project.optional-dependencies]\ndev = ["pytest"]\n[dependency-groups]\nlint = ["ruff", {include-group = "dev"}]\n[tool.poetry.dependencies]\npython = "^3.12"\ndjango = "5.0"\n[tool.poetry.group.docs.dependencies]\nmkdocs = {version = "*"}\n',
    ['pypi:fastapi', 'pypi:flask@3.0.0', 'pypi:pytest', 'pypi:ruff', 'pypi:django@5.0', 'pypi:mkdocs'],
  ],
  [
    'poetry.lock',
    '[[package]]\nname = "Jinja2"\nversion = "3.1.0"\nfiles = [\n    {file = "x"},\n]\n\n[package.dependencies]\nMarkupSafe = ">=2.0"\n\n[metadata]\nname = "none"\n',
    ['pypi:jinja2@3.1.0'],
  ],
  [
    'uv.lock',
    'version = 1\n\n[[package]]\nname = "ours"\nversion = "0.1.0"\nsource = { editable = "." }\n\n[[package]]\nname = "httpx"\nversion = "0.27.0"\nsource = { registry = "https://pypi.org/simple" }\n',
    ['pypi:httpx@0.27.0'],
  ],
  [
    'go.mod',
    'module example.com/x\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.9.0\n\nrequire (\n\tgorm.io/gorm v1.25.0\n\tgolang.org/x/sync v0.1.0 // indirect\n)\n\nreplace (\n\texample.com/a v1.0.0 => ../a\n)\n',
    ['go:github.com/gin-gonic/gin@1.9.0', 'go:gorm.io/gorm@1.25.0'],
  ],
  [
    'Cargo.toml',
    '[package]\nname = "x"\n[dependencies]\nserde = "1.0"\nrenamed = { package = "tokio", version = "1.36.0" }\nours = { path = "../ours" }\nforked = { git = "https://github.com/a/forked" }\n[dev-dependencies]\nserde_json = "1"\n[target.\'cfg(unix)\'.dependencies]\nnix = "0.27"\n[workspace.dependencies]\naxum = "0.7"\n',
    [
      'crates:serde@1.0',
      'crates:tokio@1.36.0',
      'https://github.com/a/forked',
      'crates:serde-json@1',
      'crates:axum@0.7',
      'crates:nix@0.27',
    ],
  ],
  [
    'Cargo.lock',
    'version = 3\n\n[[package]]\nname = "ours"\nversion = "0.1.0"\ndependencies = [\n "serde",\n]\n\n[[package]]\nname = "serde"\nversion = "1.0.197"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
    ['crates:serde@1.0.197'],
  ],
  [
    'pom.xml',
    `<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">
      <parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>3.2.0</version></parent>
      <groupId>com.example</groupId><artifactId>ours</artifactId>
      <!-- <dependency><groupId>no</groupId><artifactId>no</artifactId></dependency> -->
      <dependencies><dependency>
        <groupId>org.mockito</groupId><artifactId>mockito-core</artifactId><version>\${mockito.version}</version>
        <exclusions><exclusion><groupId>excluded</groupId><artifactId>excluded</artifactId></exclusion></exclusions>
      </dependency></dependencies></project>`,
    ['maven:org.springframework.boot:spring-boot-starter-parent@3.2.0', 'maven:org.mockito:mockito-core'],
  ],
]

test.each(files)('a %s names its packages', (name, text, packages) => {
  expect(packagesIn(text, name)).toEqual(packages)
})

test.each(files)('the format of a %s is recognised by its content', (_, text, packages) => {
  expect(packagesIn(text)).toEqual(packages)
})

test('a manifest may have folders before its name, Windows line ends and a byte order mark', () => {
  expect(packagesIn('\uFEFF[[package]]\r\nname = "x"\r\nversion = "1"\r\n', 'C:\\work\\poetry.lock')).toEqual(['pypi:x@1'])
  expect(packagesIn('\uFEFF{"dependencies": {"react": "1.0.0"}}')).toEqual(['npm:react@1.0.0'])
})

test('a manifest of another format is refused with the formats that are read', () => {
  expect(refusal('x', 'C:\\work\\Gemfile.lock')).toMatch(
    /^Gemfile\.lock is not read\. Choose one of package\.json, .* and pom\.xml\.$/,
  )
})

test('a list of addresses is no manifest', () => {
  expect(packagesIn('honojs/website\nhttps://github.com/a/b?x>=1')).toBeUndefined()
})

test.each([
  ['package.json', '{"dependencies": '],
  ['package.json', '{"dependencies": ["a"]}'],
  ['package.json', `{"dependencies": ${'['.repeat(500_000)}`],
  ['pnpm-lock.yaml', 'lockfileVersion: [\n'],
  ['pnpm-lock.yaml', `lockfileVersion: ${'['.repeat(400_000)}`],
  ['pnpm-lock.yaml', Array.from({ length: 900 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['pyproject.toml', '[project\n'],
  ['pyproject.toml', `a = ${'['.repeat(500_000)}`],
  ['Cargo.toml', '[dependencies]\nserde = 1\n'],
  ['pom.xml', '<html></html>'],
  ['pom.xml', `<project>${'<a>'.repeat(300_000)}`],
])('a broken %s is refused with a reason of one line', (name, text) => {
  expect(refusal(text, name)).toMatch(new RegExp(`^${name} cannot be read: .{5,100}$`))
})

test('a reader of manifests omits names that no registry allows', () => {
  const names = ['<img src=x>', 'a\u202Eb', 'x'.repeat(10_000), '../../etc', 'react']
  expect(packagesIn(JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])) }))).toEqual([
    'npm:react@1.0.0',
  ])
})

test('a manifest can have a package called like a property of every object', () => {
  expect(packagesIn('{"dependencies": {"__proto__": "1.0.0", "constructor": "1.0.0", "react": "1.0.0"}}')).toEqual([
    'npm:constructor@1.0.0',
    'npm:react@1.0.0',
  ])
  expect(packagesIn('{"lockfileVersion": 3, "packages": {"": {"dependencies": {"constructor": "^1"}}}}')).toEqual([
    'npm:constructor',
  ])
})

test('a manifest gives a version only if it is one', () => {
  const ranges = { a: '>=1.0.0', b: 'latest', c: `1.${'0'.repeat(100)}`, d: '1.0.0 || 2.0.0', e: 'v1.0.0' }
  expect(packagesIn(JSON.stringify({ dependencies: ranges }))).toEqual(['npm:a', 'npm:b', 'npm:c', 'npm:d', 'npm:e@1.0.0'])
})

test('the reader of YAML resolves no aliases, so that nested ones cannot expand', () => {
  const bomb = [
    'a: &a [x, x]',
    ...[...'bcdefghij'].map((name, at) => `${name}: &${name} [*${'abcdefghij'[at]}, *${'abcdefghij'[at]}]`),
  ]
  expect(refusal(`lockfileVersion: 9\n${bomb.join('\n')}`)).toMatch(/^pnpm-lock\.yaml cannot be read: Alias/)
  expect(refusal('lockfileVersion: 9\nimporters: &a\n  x: *a\n')).toMatch(/^pnpm-lock\.yaml cannot be read: Alias/)
})

test('the reader of XML expands no entities of the document', () => {
  const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
  const dependency = '<dependency><groupId>g&a;&f;</groupId><artifactId>x</artifactId></dependency>'
  expect(packagesIn(`<?xml version="1.0"?>${entities}<project>${dependency}</project>`)).toEqual([])
})

test.each([
  ['package.json', 2 ** 20, 1],
  ['pom.xml', 2 ** 20, 1],
  ['package-lock.json', 10 * 2 ** 20, 10],
  ['yarn.lock', 10 * 2 ** 20, 10],
])('a %s may not be larger than %i bytes', (name, bytes, megabytes) => {
  expect(refusal('{}'.padEnd(bytes), name)).not.toContain('larger')
  expect(refusal('{}'.padEnd(bytes + 1), name)).toBe(`${name} is larger than ${megabytes} MB.`)
})

test('a manifest may name 5,000 packages, but not more than 10,000', () => {
  const requirements = (count: number) => Array.from({ length: count }, (_, at) => `package-${at}==1.0`).join('\n')
  expect(packagesIn(requirements(5_000))).toHaveLength(5_000)
  expect(refusal(requirements(10_001))).toBe('requirements.txt names more than 10,000 packages.')
})

test('the workspaces of a pnpm-lock.yaml may have 512 kB', () => {
  const importers = (count: number) =>
    `lockfileVersion: 9\nimporters:\n  .:\n    dependencies:\n${Array.from({ length: count }, (_, at) => `      package-${at}:\n        specifier: ^1\n        version: 1.0.0\n`).join('')}`
  expect(packagesIn(`${importers(5_000)}packages:\n${'  x@1: {}\n'.repeat(500_000)}`)).toHaveLength(5_000)
  expect(refusal(importers(10_000))).toBe('pnpm-lock.yaml cannot be read: its importers are larger than 512 kB.')
})

test.each(['requirements-dev.txt', 'dev-requirements.txt', 'Requirements.txt', 'requirements.in'])(
  'a %s is a requirements.txt',
  (name) => {
    expect(packagesIn('django==5.0', name)).toEqual(['pypi:django@5.0'])
  },
)
