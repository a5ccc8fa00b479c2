import { describe, expect, test } from 'vitest'
import { knownLibraries, repositoryOfPackage } from '../../../shared/packages/known-libraries.ts'
import { type Ecosystem, packageName } from '../../../shared/packages/registries/package-name.ts'
import { defaultGitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'

const libraries = knownLibraries()
const repeated = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at)

describe('the list of known libraries', () => {
  test('has at least 300, each title, repository and package once', () => {
    expect(libraries.length).toBeGreaterThanOrEqual(300)
    expect(repeated(libraries.map(({ title }) => title.toLowerCase()))).toEqual([])
    expect(repeated(libraries.map(({ repository }) => repository.toLowerCase()))).toEqual([])
    expect(repeated(libraries.flatMap(({ packages }) => packages))).toEqual([])
  })

  test('has only repositories and folders that a parse accepts', () => {
    for (const { repository, folders } of libraries) {
      expect(parseRepoUrl(repository, defaultGitHosts).webUrl).toBe(`https://github.com/${repository}`)
      for (const folder of folders) expect(folder).toMatch(/^[\w.@-]+(?:\/[\w.@-]+)*$/)
    }
  })

  test('has packages by their normal names', () => {
    for (const entry of libraries.flatMap(({ packages }) => packages)) {
      const [, ecosystem = '', name = ''] = /^([a-z]+):(.+?)(?:[/:.]\*)?$/.exec(entry) ?? []
      const text = entry.endsWith('/*') ? `${name}/x` : entry.endsWith(':*') ? `${name}:x` : name
      expect(packageName(ecosystem as Ecosystem, text)).toEqual({ ecosystem, name: text })
    }
  })

  test('has a day only for entries that were checked, and none in the future', () => {
    const days = libraries.flatMap(({ checked }) => checked ?? [])
    for (const day of days) expect(Date.parse(day)).toBeLessThanOrEqual(Date.now())
  })

  test('is sorted by title', () => {
    const titles = libraries.map(({ title }) => title.toLowerCase())
    expect(titles).toEqual([...titles].sort())
  })
})

test.each([
  ['npm', '@babel/preset-env', 'Babel'],
  ['npm', '@types/babel__core', 'Babel'],
  ['npm', '@langchain/langgraph', 'LangGraph'],
  ['npm', '@langchain/openai', 'LangChain'],
  ['npm', 'babel', undefined],
  ['maven', 'org.springframework.boot:spring-boot-starter-web', 'Spring Boot'],
  ['maven', 'org.springframework.security:spring-security-core', undefined],
  ['nuget', 'Microsoft.EntityFrameworkCore.Sqlite', 'Entity Framework Core'],
  ['nuget', 'Microsoft.Unknown', undefined],
  ['go', 'github.com/labstack/echo/v4/middleware', 'Echo'],
  ['go', 'example.com/unknown', undefined],
] as const)('the %s package %s belongs to %s', (ecosystem, name, title) => {
  const normal = packageName(ecosystem, name)
  expect(normal && repositoryOfPackage(normal)?.title).toBe(title)
})
