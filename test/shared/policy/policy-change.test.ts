import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { openPolicy, Policy } from '../../../shared/policy/policy.ts'
import { applyChange, PolicyChange } from '../../../shared/policy/policy-change.ts'

const change = (policy: Policy, body: unknown): Policy => applyChange(policy, PolicyChange.parse(body))
const quality = (body: unknown) => ({ libraryFilters: { quality: body } })
const rule = (body: unknown): string => {
  const read = PolicyChange.safeParse(body)
  return read.success ? 'taken' : read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' | ')
}

describe('a change of a policy', () => {
  test('leaves unnamed fields unchanged', () => {
    const before = change(openPolicy(), {
      sourceTypes: { disable: ['websites'] },
      libraryFilters: { mode: 'quality', quality: { minTrustScore: 4, repoFilters: { minStars: 100 } } },
    })
    const after = change(before, quality({ maxAgeDays: 30, websiteFilters: { minBacklinks: 5 } }))
    expect(after).toEqual({
      sourceTypes: { ...openPolicy().sourceTypes, websites: { enabled: false } },
      libraryFilters: {
        ...openPolicy().libraryFilters,
        mode: 'quality',
        quality: {
          ...openPolicy().libraryFilters.quality,
          minTrustScore: 4,
          maxAgeDays: 30,
          repoFilters: { minStars: 100, allowedLicenses: [] },
          websiteFilters: { minBacklinks: 5, minReferringDomains: null, minOrganicTraffic: null },
        },
      },
    })
  })

  test('does not modify the policy that it is applied to', () => {
    const before = openPolicy()
    change(before, { sourceTypes: { disable: ['websites'] }, ...quality({ blockedLibraries: { add: ['/acme'] } }) })
    expect(before).toEqual(openPolicy())
  })

  test('switches source types on and off', () => {
    const off = change(openPolicy(), { sourceTypes: { disable: ['websites', 'llmstxt'] } })
    const on = change(off, { sourceTypes: { enable: ['websites'], disable: ['confluence'] } })
    expect(
      Object.entries(on.sourceTypes)
        .filter(([, { enabled }]) => !enabled)
        .map(([type]) => type),
    ).toEqual(['confluence', 'llmstxt'])
  })

  test('clears the mode and every number with null', () => {
    const numbers = (value: number | null) => ({
      minTrustScore: value,
      maxAgeDays: value,
      repoFilters: { minStars: value },
      websiteFilters: { minBacklinks: value, minReferringDomains: value, minOrganicTraffic: value },
    })
    const set = change(openPolicy(), { libraryFilters: { mode: 'select', quality: numbers(7) } })
    expect(set.libraryFilters).toMatchObject({ mode: 'select', quality: numbers(7) })
    expect(change(set, { libraryFilters: { mode: null, quality: numbers(null) } })).toEqual(openPolicy())
  })

  test('adds to lists, removes from them and clears them, without regard to case', () => {
    const lists = (body: unknown) => ({
      libraryFilters: {
        quality: { blockedLibraries: body, exceptedLibraries: body },
        select: { allowedLibraries: body },
      },
    })
    const added = change(openPolicy(), lists({ add: ['/Acme/Widgets', '/acme', 'example.com', '/ACME/widgets'] }))
    expect(added.libraryFilters.select.allowedLibraries).toEqual(['/Acme/Widgets', '/acme', 'example.com'])
    const less = change(added, lists({ add: ['/x/y'], remove: ['/acme/widgets', '/not/there'] }))
    expect(less.libraryFilters.quality.blockedLibraries).toEqual(['/acme', 'example.com', '/x/y'])
    expect(change(less, lists({ clear: true }))).toEqual(openPolicy())
    expect(change(less, lists({ clear: false, add: ['/z'] })).libraryFilters.quality.exceptedLibraries).toContain('/z')
  })

  test('turns any valid policy into a valid one', () => {
    const entry = fc.constantFrom('/a', '/a/b', '/A/b', 'example.com')
    const list = fc.record({ add: fc.array(entry), remove: fc.array(entry) }, { requiredKeys: [] })
    const body = fc.record(
      {
        mode: fc.constantFrom('quality', 'select', null),
        quality: fc.record({ blockedLibraries: list, minTrustScore: fc.integer() }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(body), (bodies) => {
        const read = bodies.flatMap((libraryFilters) => PolicyChange.safeParse({ libraryFilters }).data ?? [])
        const policy = read.reduce(applyChange, openPolicy())
        expect(Policy.parse(policy)).toEqual(policy)
      }),
    )
  })
})

describe('an invalid change of a policy', () => {
  const fields = (path: string, names: string) => `${path}: must hold only the fields ${names}`
  const entries =
    'must hold only library paths such as /owner/repo, owners such as /owner, or domains such as example.com, of at most 300 characters'
  const blocked = 'libraryFilters.quality.blockedLibraries'

  test.each<[string, unknown, string]>([
    ['that says nothing', {}, ': must hold sourceTypes, libraryFilters or both'],
    [
      'that enables and disables a type',
      { sourceTypes: { enable: ['websites'], disable: ['websites'] } },
      'sourceTypes: must not enable and disable the same type',
    ],
    [
      'of a misspelt field',
      quality({ minTrust: 3 }),
      fields(
        'libraryFilters.quality',
        'requireVerified, minTrustScore, maxAgeDays, blockedLibraries, exceptedLibraries, repoFilters, websiteFilters',
      ),
    ],
    [
      'with clear beside add',
      quality({ blockedLibraries: { clear: true, add: ['/a'] } }),
      `${blocked}: must hold either clear, or add and remove`,
    ],
    [
      'with clear beside remove',
      quality({ blockedLibraries: { clear: true, remove: [] } }),
      `${blocked}: must hold either clear, or add and remove`,
    ],
    [
      'that adds what it removes',
      quality({ blockedLibraries: { add: ['/a/b'], remove: ['/A/B'] } }),
      `${blocked}: must not add and remove the same entry`,
    ],
    ['with a version', quality({ blockedLibraries: { add: ['/a/b@v1'] } }), `${blocked}.add: ${entries}`],
    ['without a slash', quality({ blockedLibraries: { add: ['acme'] } }), `${blocked}.add: ${entries}`],
    ['with a line feed', quality({ blockedLibraries: { add: ['/a/b\n'] } }), `${blocked}.add: ${entries}`],
    ['with what is no text', quality({ blockedLibraries: { add: [{}, null, 3] } }), `${blocked}.add: ${entries}`],
    ['with __proto__ as an entry', quality({ blockedLibraries: { add: ['__proto__'] } }), `${blocked}.add: ${entries}`],
    [
      'with a license of 65 letters',
      quality({ repoFilters: { allowedLicenses: { add: ['x'.repeat(65)] } } }),
      'libraryFilters.quality.repoFilters.allowedLicenses.add: must hold only license ids such as Apache-2.0, of at most 64 letters, digits and .+-_',
    ],
    [
      'with a type that is none',
      { sourceTypes: { disable: ['__proto__'] } },
      'sourceTypes.disable: must hold only source types: public_repos, private_sources, confluence, uploaded_files, websites, llmstxt',
    ],
  ])('is rejected if it is one %s', (_, body, message) => {
    expect(rule(body)).toBe(message)
  })

  test.each<[string, unknown]>([
    ['another mode', { libraryFilters: { mode: 'all' } }],
    ['a trust score of 11', quality({ minTrustScore: 11 })],
    ['a trust score of 4.5', quality({ minTrustScore: 4.5 })],
    ['an age of no day', quality({ maxAgeDays: 0 })],
    ['fewer than no stars', quality({ repoFilters: { minStars: -1 } })],
    ['stars beyond all numbers', quality({ repoFilters: { minStars: 1e300 } })],
    ['requireVerified as a word', quality({ requireVerified: 'yes' })],
    ['no object', 'policy'],
    ['a list', []],
    ['nothing', null],
  ])('is rejected if it has %s', (_, body) => {
    expect(PolicyChange.safeParse(body).success).toBe(false)
  })

  test('is rejected if it has __proto__ as a field, and pollutes no prototype', () => {
    const body = JSON.parse('{"__proto__": {"enabled": true}, "sourceTypes": {"__proto__": {"disable": ["websites"]}}}')
    expect(PolicyChange.safeParse(body).success).toBe(false)
    expect('enabled' in {}).toBe(false)
  })

  test('is rejected in one sentence if it has a hundred thousand entries', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => (i % 2 === 0 ? `/acme/widgets-${i}` : {}))
    const read = PolicyChange.safeParse(quality({ exceptedLibraries: { add: many } }))
    expect(read.error?.issues).toHaveLength(1)
  })
})

describe('the size of a policy', () => {
  const paths = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `/acme/widgets-${from + i}`)
  const allow = (add: string[]) => ({ libraryFilters: { select: { allowedLibraries: { add } } } })

  test('is limited to a thousand entries per list, over any number of changes', () => {
    const full = change(change(openPolicy(), allow(paths(600))), allow(paths(400, 600)))
    expect(full.libraryFilters.select.allowedLibraries).toHaveLength(1000)
    expect(() => change(full, allow(['/one/more']))).toThrow(
      new AppError(
        'validation_error',
        'allowedLibraries would have 1001 entries; the maximum is 1000. List owners instead of their libraries.',
      ),
    )
  })

  test('is limited in total, so that it fits into one record', () => {
    const long = Array.from({ length: 1000 }, (_, i) => `/acme/${String(i).padStart(290, 'x')}`)
    const full = change(openPolicy(), allow(long.slice(0, 990)))
    expect(() => change(full, quality({ blockedLibraries: { add: long } }))).toThrow(
      'The policy would be larger than 300000 bytes.',
    )
  })
})
