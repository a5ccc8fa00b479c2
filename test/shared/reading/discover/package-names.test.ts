import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageNames } from '../../../../shared/reading/discover/package-names.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

async function repository(files: Record<string, string>): Promise<string> {
  const root = tempDir()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}

const pom = `<?xml version="1.0"?><project><parent><artifactId>parent</artifactId></parent><artifactId>acme-core</artifactId>
<name>Acme Core</name><description>Anvils</description><dependencies><dependency><artifactId>junit</artifactId></dependency></dependencies></project>`

test.each([
  ['package.json', '{"name": "@acme/core"}', '@acme/core'],
  ['pyproject.toml', '[project]\nname = "acme"', 'acme'],
  ['pyproject.toml', '[project]\ndynamic = []\n[tool.poetry]\nname = "acme"', 'acme'],
  ['setup.cfg', '[metadata]\nname = acme\n[options]\nname = other', 'acme'],
  ['setup.py', 'setup(\n    name="acme",\n)', 'acme'],
  ['Cargo.toml', '[package]\nname = "acme"', 'acme'],
  ['go.mod', 'module github.com/acme/core/v2\n\ngo 1.22', 'github.com/acme/core/v2'],
  ['composer.json', '{"name": "acme/core"}', 'acme/core'],
  ['acme.gemspec', "Gem::Specification.new do |s|\n  s.name = 'acme'\nend", 'acme'],
  ['pom.xml', pom, 'acme-core'],
  ['pubspec.yaml', 'name: acme', 'acme'],
  ['mix.exs', 'def project do\n [app: :acme, version: "1"]', 'acme'],
  ['Acme.csproj', '<Project><PropertyGroup><PackageId>Acme.Core</PackageId></PropertyGroup></Project>', 'Acme.Core'],
  ['acme.nuspec', '<package><metadata><id>Acme.Core</id></metadata></package>', 'Acme.Core'],
])('the name of a library is read from %s', async (file, content, name) => {
  expect((await packageNames(await repository({ [file]: content }))).names).toEqual([name])
})

test('a manifest also gives title and description', async () => {
  expect(await packageNames(await repository({ 'pom.xml': pom }))).toEqual({
    names: ['acme-core'],
    title: 'Acme Core',
    description: 'Anvils',
  })
})

test('the packages of a monorepo are included, without private packages and examples', async () => {
  const root = await repository({
    'package.json': '{"name": "monorepo", "private": true, "description": "All of Acme"}',
    'packages/core/package.json': '{"name": "@acme/core", "description": "The core"}',
    'packages/site/package.json': '{"name": "@acme/site", "private": true}',
    'packages/examples/package.json': '{"name": "acme-examples"}',
    'crates/macros/Cargo.toml': '[package]\nname = "acme-macros"',
    'crates/xtask/Cargo.toml': '[package]\nname = "xtask"\npublish = false',
    'other/deep/package.json': '{"name": "unseen"}',
  })
  expect(await packageNames(root)).toEqual({ names: ['@acme/core', 'acme-macros'], title: undefined, description: 'All of Acme' })
})

test('broken, foreign and huge manifests are ignored', async () => {
  const root = await repository({
    'package.json': '{',
    'pyproject.toml': '= = =',
    'Cargo.toml': 'package = 7',
    'pom.xml': '<project',
    'pubspec.yaml': 'name: [&a *a]',
    'composer.json': '{"name": "two words"}',
    'acme.gemspec': `s.name = 'huge'\n${'#'.repeat(66_000)}`,
    'go.mod': 'module example.com/kept',
  })
  expect(await packageNames(root)).toEqual({ names: ['example.com/kept'], title: undefined, description: undefined })
  expect((await packageNames(join(root, 'missing'))).names).toEqual([])
})

test('links are not followed out of the repository', async () => {
  const outside = await repository({ 'package.json': '{"name": "outside"}', 'one/package.json': '{"name": "outside-too"}' })
  const root = await repository({ 'README.md': '# x' })
  await symlink(join(outside, 'package.json'), join(root, 'package.json'))
  await symlink(outside, join(root, 'packages'))
  expect((await packageNames(root)).names).toEqual([])
})

test('the number of names is limited to 200', async () => {
  const packages = Array.from({ length: 210 }, (_, index) => [`packages/p${index}/package.json`, `{"name": "p${index}"}`])
  expect((await packageNames(await repository(Object.fromEntries(packages)))).names).toHaveLength(200)
})

test('the number of manifests is limited to 300', async () => {
  const nameless = Array.from({ length: 299 }, (_, index) => [`packages/a${index}/package.json`, '{}'])
  const named = ['b0', 'b1'].map((name) => [`packages/${name}/package.json`, `{"name": "${name}"}`])
  expect((await packageNames(await repository(Object.fromEntries([...nameless, ...named])))).names).toEqual(['b0'])
})
