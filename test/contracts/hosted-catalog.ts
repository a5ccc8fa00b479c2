import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HostedCatalog } from '../../functions/catalog/hosted-catalog.ts'
import { dynamoCatalog } from '../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoGenerations } from '../../functions/dynamo/catalog/dynamo-generations.ts'
import { dynamoJobs } from '../../functions/dynamo/jobs/dynamo-jobs.ts'
import type { Table } from '../../functions/dynamo/table.ts'
import { servedVersion } from '../../functions/queries/served-version.ts'
import type { IndexingCatalog, LibraryFacts, NewVersion } from '../../shared/indexing/indexing-catalog.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import { failure } from '../fixtures/failure.ts'

/** Tests of the hosted catalog, for each implementation of DynamoDB. */
export function hostedCatalogContract(name: string, open: () => Promise<Table & { close(): Promise<void> }>): void {
  describe(`the hosted catalog on ${name}`, () => {
    let table: Table & { close(): Promise<void> }
    let catalog: HostedCatalog
    let time = Date.parse('2026-11-21T12:00:00.000Z')
    const now = () => new Date(time)

    beforeAll(async () => {
      table = await open()
      catalog = dynamoCatalog({ table, now })
    })
    afterAll(() => table.close())

    const added = async (repo: string, more: { private?: boolean; teamspace?: string } = {}) => {
      const id = { owner: 'Acme', repo }
      await catalog.add({ id, sourceUrl: `https://github.com/Acme/${repo}`, private: false, ...more })
      return id
    }
    /** A library that a worker may publish. */
    const writing = async (repo: string) => {
      const id = await added(repo)
      await catalog.begin(id, 'worker')
      return { id, parse: catalog.parsing(id, { worker: 'worker', bundleBytes: () => 77 }) }
    }
    const publish = (parse: IndexingCatalog, repo: string, versions: NewVersion[], more: Partial<LibraryFacts> = {}) =>
      parse.publish(facts(repo, more), versions)
    const unowned = () => catalog.unowned([], new Date(time - 600_000))

    test('a new library waits for its first parse, and adding it again from the same address changes nothing', async () => {
      const id = await added('added', { teamspace: 'Acme' })
      expect(await catalog.record(id)).toMatchObject({
        library: { id: '/Acme/added', state: 'initial', teamspace: 'Acme', source: 'GitHub' },
      })
      await added('added')
      expect((await catalog.record({ owner: 'ACME', repo: 'ADDED' }))?.library.teamspace).toBe('Acme')
      expect(await catalog.record({ owner: 'acme', repo: 'absent' })).toBeUndefined()
    })

    test('the same id from another address is rejected with both addresses', async () => {
      await added('twice')
      const other = catalog.add({
        id: { owner: 'acme', repo: 'TWICE' },
        sourceUrl: 'https://gitlab.com/acme/TWICE',
        private: false,
      })
      const { code, message } = await failure(other)
      expect(code).toBe('duplicate_repo')
      expect(message).toContain('https://github.com/Acme/twice')
      expect(message).toContain('https://gitlab.com/acme/TWICE')
    })

    test('published content is served, and the content it replaced is deleted ten minutes later', async () => {
      const { id, parse } = await writing('served')
      await parse.reserve('g1', 'job')
      await publish(parse, 'served', [version('', 'g1'), version('v1', 'g1-v1')])
      const record = await catalog.record(id)
      expect(record && servedVersion(record, id)).toMatchObject({ generation: 'g1', version: undefined })
      expect(await catalog.rules(record?.key ?? '', record?.versions.get('')?.rulesId ?? '')).toEqual(['Use it.'])
      expect(record && servedVersion(record, { ...id, version: 'v1' })).toMatchObject({ generation: 'g1-v1' })
      expect(record?.library).toMatchObject({
        title: 'Title',
        versions: ['v1'],
        totalSnippets: 3,
        totalTokens: 30,
        trustScore: -1,
      })
      expect(await parse.versions(id)).toMatchObject([{ version: '', bundleBytes: 77 }, { version: 'v1' }])

      await publish(parse, 'served', [version('', 'g2')])
      expect(await unowned()).toEqual([])
      time += 600_000
      expect(await unowned()).toEqual(['g1'])
      await catalog.forget('g1')
      expect(await unowned()).toEqual([])
    })

    test('a reserved generation is kept until its job ends, then deleted unless it was published', async () => {
      const { id, parse } = await writing('reserved')
      const jobs = dynamoJobs({ table, now })
      const job = await jobs.enqueue({ key: libraryKey(id), project: '/acme/reserved', request })
      for (const generation of ['half', 'whole', 'held']) await parse.reserve(generation, job.id)
      const building = Promise.withResolvers<void>()
      parse.hold('held', building.promise)
      await publish(parse, 'reserved', [version('', 'whole')])
      expect(await unowned()).toEqual([])
      const claimed = await jobs.claim(libraryKey(id), 'worker')
      if (claimed) await jobs.finish(claimed)
      expect(await unowned()).toEqual(['half'])
      building.resolve()
      await building.promise
      expect(await unowned()).toEqual(['half', 'held'])
    })

    test('a generation that a library points to is never deleted, even if it is listed for deletion', async () => {
      const { parse } = await writing('pointed')
      await publish(parse, 'pointed', [version('', 'pointed-1')])
      await parse.reserve('pointed-1', 'a job that is gone')
      time += 3_600_000
      expect(await unowned()).not.toContain('pointed-1')
    })

    test('a generation that is replaced before its publication is complete stays listed for deletion', async () => {
      const generations = dynamoGenerations({ table, now })
      await generations.reserve('overtaken', '/acme/nowhere', 'job')
      await generations.retire(['overtaken'], '/acme/nowhere')
      await generations.settle('overtaken')
      time += 600_000
      expect(await unowned()).toContain('overtaken')
      await catalog.forget('overtaken')
    })

    test('the worker that began last is the only one that can publish or end', async () => {
      const { id, parse } = await writing('fenced')
      await publish(parse, 'fenced', [version('', 'old')])
      await catalog.begin(id, 'second worker')
      expect((await failure(Promise.resolve(publish(parse, 'fenced', [version('', 'late')])))).code).toBe('job_active')
      expect(await catalog.end(id, 'worker', { error: 'mine' })).toBe(false)
      expect((await catalog.record(id))?.versions.get('')?.generation).toBe('old')
      expect(await catalog.end(id, 'second worker', {})).toBe(true)
    })

    test('concurrent publications and other changes lose nothing', async () => {
      const { id, parse } = await writing('crowd')
      const names = Array.from({ length: 12 }, (_, n) => `v${n}`)
      await Promise.all([
        ...names.map((each) => publish(parse, 'crowd', [version(each, `crowd-${each}`)])),
        catalog.own(id, 'Owner'),
      ])
      const record = await catalog.record(id)
      expect(record?.library.versions).toEqual(names.sort())
      expect(record?.library.teamspace).toBe('Owner')
      time += 3_600_000
      expect((await unowned()).filter((each) => each.startsWith('crowd'))).toEqual([])
    })

    test('a library has up to 1,000 versions with rules and rejects one more', async () => {
      const { id, parse } = await writing('many')
      const many = Array.from({ length: 1000 }, (_, n) =>
        version(n === 0 ? '' : `release~2026.${n}.0-rc.${n % 7}`, `g0123456789abcdef-${n}`),
      )
      await publish(parse, 'many', many)
      const record = await catalog.record(id)
      expect(record?.versions.size).toBe(1000)
      const whole = await catalog.whole(id)
      expect(whole?.versions.get('release~2026.999.0-rc.5')).toMatchObject({ commit: many[999]?.commit, rules: ['Use it.'] })
      const { code, message } = await failure(Promise.resolve(publish(parse, 'many', [version('one-more', 'g')])))
      expect([code, message]).toEqual(['library_too_large', expect.stringContaining('1000 versions')])
      if (!record) throw new Error('the library does not exist')
      const unknown = await failure((async () => servedVersion(record, { ...id, version: 'nope' }))())
      expect([unknown.code, unknown.message.length < 5000]).toEqual(['tag_not_found', true])
    })

    test('each version may have rules of its own, which no other version and no list of versions carries', async () => {
      const { id, parse } = await writing('wordy')
      const rules = (n: number) => Array.from({ length: 50 }, (_, line) => `${n} ${line} ${'x'.repeat(60)}`)
      const wordy = Array.from({ length: 100 }, (_, n) => ({ ...version(`v${n}`, `w${n}`), rules: rules(n) }))
      await publish(parse, 'wordy', wordy)
      const record = await catalog.record(id)
      for (const n of [0, 99])
        expect(await catalog.rules('/acme/wordy', record?.versions.get(`v${n}`)?.rulesId ?? '')).toEqual(rules(n))
      expect(await catalog.rules('/acme/wordy', 'replaced')).toEqual([])
      expect((await catalog.whole(id))?.versions.get('v50')?.rules).toEqual(rules(50))
    })

    test('hostile names are stored like any others', async () => {
      const id = parseLibraryId('/__proto__/constructor')
      await catalog.add({
        id: { owner: '__proto__', repo: 'constructor' },
        sourceUrl: 'https://github.com/__proto__/constructor',
        private: false,
      })
      await catalog.begin(id, 'worker')
      const parse = catalog.parsing(id, { worker: 'worker', bundleBytes: () => 0 })
      const names = ['__proto__', 'constructor', '#pk', ':revision', 'v"1', '𝒗 ~\u0000', 'x'.repeat(255)]
      const hostile = {
        id: '/__proto__/constructor',
        title: 't'.repeat(100_000),
        aliases: Array.from({ length: 5000 }, (_, n) => `a${n}`),
      }
      await parse.publish(
        facts('', hostile),
        names.map((each) => version(each, `h-${each}`)),
      )
      const record = await catalog.record(id)
      expect(record?.library.versions).toEqual([...names].sort())
      expect(record?.library.title).toHaveLength(200)
      expect(record?.library.aliases).toHaveLength(300)
      for (const each of names) expect(record && servedVersion(record, { ...id, version: each }).generation).toBe(`h-${each}`)
      expect(({} as Record<string, unknown>).generation).toBeUndefined()
    })

    test('a removed version is not served and does not return, and a removed library is deleted with its content', async () => {
      const { id, parse } = await writing('removed')
      await publish(parse, 'removed', [version('', 'r'), version('v1', 'r-v1'), version('v2', 'r-v2')], {
        settings: { versions: ['v1', 'v2'] },
      })
      expect(await catalog.remove({ ...id, version: 'v1' })).toEqual(['r-v1'])
      expect((await catalog.record(id))?.settings).toEqual({ versions: ['v2'], unwanted: ['v1'] })
      expect(await catalog.remove({ ...id, version: 'never' })).toEqual([])
      expect((await catalog.remove(id)).sort()).toEqual(['r', 'r-v2'])
      expect(await catalog.record(id)).toBeUndefined()
      expect((await failure(catalog.remove(id))).code).toBe('library_not_found')
      expect((await failure(Promise.resolve(publish(parse, 'removed', [version('', 'late')])))).code).toBe('library_not_found')
      time += 3_600_000
      expect((await unowned()).sort()).toEqual(expect.arrayContaining(['r', 'r-v1', 'r-v2']))
    })

    test('a library added as private stays private, and one that its host hides is private to its owner, or hidden from all', async () => {
      const id = await added('secret', { private: true, teamspace: 'Acme' })
      expect((await catalog.record(id))?.library).toMatchObject({ private: true, privateTo: 'Acme', source: 'GitHub (Private)' })
      const { id: hidden, parse } = await writing('hidden')
      await publish(parse, 'hidden', [version('', 'hidden')], { private: true })
      expect((await catalog.record(hidden))?.library).toMatchObject({ private: true, privateTo: '' })
      await publish(parse, 'hidden', [])
      expect((await catalog.record(hidden))?.library.private).toBe(false)
    })

    test('a list has every library once', async () => {
      const ids: string[] = []
      for await (const { library } of catalog.all()) ids.push(library.id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toEqual(expect.arrayContaining(['/Acme/added', '/Acme/many', '/__proto__/constructor']))
    })

    test('an export gets every version with its size', async () => {
      const { id, parse } = await writing('exported')
      await publish(parse, 'exported', [version('', 'e'), version('v1', 'e-v1')])
      expect(await catalog.exportable({ ...id, version: 'v1' })).toMatchObject({
        id: { owner: 'Acme', repo: 'exported' },
        private: false,
        facts: { title: 'Title', docsRepoUrl: 'https://github.com/Acme/exported' },
        versions: [
          { version: undefined, generation: 'e', bundleBytes: 77 },
          { version: 'v1', generation: 'e-v1' },
        ],
      })
      expect(await catalog.exportable({ owner: 'acme', repo: 'absent' })).toBeUndefined()
    })
  })
}

const request = { repoUrl: 'https://github.com/acme/reserved', force: false, anonymous: true }

const facts = (repo: string, more: Partial<LibraryFacts>): LibraryFacts => ({
  id: `/Acme/${repo}`,
  title: 'Title',
  description: 'Description',
  branch: 'main',
  sourceUrl: `https://github.com/Acme/${repo}`,
  private: false,
  aliases: [],
  settings: {},
  ...more,
})

const version = (name: string, generation: string): NewVersion => ({
  version: name,
  ref: name.replaceAll('~', '/') || 'main',
  generation,
  commit: Array.from({ length: 40 }, () => Math.floor(Math.random() * 16).toString(16)).join(''),
  tokens: 30,
  snippets: 3,
  codeSnippets: 1,
  rules: ['Use it.'],
  format: 1,
})
