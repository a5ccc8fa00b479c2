import { describe, expect, test } from 'vitest'
import { allowedBy } from '../../../shared/policy/allowed-by.ts'
import type { GovernedLibrary } from '../../../shared/policy/governed-library.ts'
import { openPolicy } from '../../../shared/policy/policy.ts'
import { applyChange, PolicyChange } from '../../../shared/policy/policy-change.ts'
import { unknownSignals } from '../../../shared/policy/quality-filters.ts'
import { sourceTypes } from '../../../shared/policy/source-types.ts'

const now = new Date('2030-06-30T00:00:00Z')

const library = (more: Partial<GovernedLibrary> = {}): GovernedLibrary => ({
  id: '/Acme/Widgets',
  stars: -1,
  trustScore: -1,
  lastUpdateDate: '2030-06-01T00:00:00.000Z',
  ...more,
})

const passes = (change: unknown, more?: Partial<GovernedLibrary>) =>
  allowedBy(applyChange(openPolicy(), PolicyChange.parse(change)), now)(library(more))

const inQuality = (quality: object, more?: Partial<GovernedLibrary>, sourceTypes: object = {}) =>
  passes({ sourceTypes, libraryFilters: { mode: 'quality', quality } }, more)
const select = (...add: string[]) => ({ libraryFilters: { mode: 'select', select: { allowedLibraries: { add } } } })

describe('an open policy', () => {
  test.each(sourceTypes)('allows %s', (sourceType) => {
    expect(allowedBy(openPolicy(), now)(library({ sourceType }))).toBe(true)
  })
})

describe('a policy for source types', () => {
  test.each(sourceTypes)('hides %s if they are disabled, and no other type', (off) => {
    const kept = sourceTypes.filter((sourceType) => !passes({ sourceTypes: { disable: [off] } }, { sourceType }))
    expect(kept).toEqual([off])
  })

  test('treats a library as a public repository by default', () => {
    expect(passes({ sourceTypes: { disable: ['public_repos'] } })).toBe(false)
  })

  test('treats a private library as a private source', () => {
    expect(passes({ sourceTypes: { disable: ['public_repos'] } }, { privateTo: 'acme' })).toBe(true)
    expect(passes({ sourceTypes: { disable: ['private_sources'] } }, { privateTo: 'acme' })).toBe(false)
  })
})

describe('the quality mode', () => {
  test.each<[string, object, Partial<GovernedLibrary>, Partial<GovernedLibrary>]>([
    ['verification', { requireVerified: true }, { verified: true }, { verified: false }],
    ['trust', { minTrustScore: 7 }, { trustScore: 7 }, { trustScore: 6.9 }],
    ['age', { maxAgeDays: 30 }, { lastUpdateDate: '2030-05-31T00:00:00Z' }, { lastUpdateDate: '2030-05-30T23:59:59Z' }],
    ['stars', { repoFilters: { minStars: 100 } }, { stars: 100 }, { stars: 99 }],
    ['license', { repoFilters: { allowedLicenses: { add: ['mit'] } } }, { codeLicense: 'MIT' }, { codeLicense: 'GPL-3.0' }],
    [
      'backlinks',
      { websiteFilters: { minBacklinks: 5 } },
      { sourceType: 'websites', backlinks: 5 },
      { sourceType: 'websites', backlinks: 0 },
    ],
    [
      'referring domains',
      { websiteFilters: { minReferringDomains: 5 } },
      { sourceType: 'websites', referringDomains: 6 },
      { sourceType: 'websites', referringDomains: 4 },
    ],
    [
      'traffic',
      { websiteFilters: { minOrganicTraffic: 1 } },
      { sourceType: 'websites', organicTraffic: 1 },
      { sourceType: 'websites', organicTraffic: 0 },
    ],
  ])('decides by %s', (_, quality, better, worse) => {
    expect([inQuality(quality, better), inQuality(quality, worse)]).toEqual([true, false])
  })

  test.each<[string, object, Partial<GovernedLibrary>]>([
    ['verification', { requireVerified: true }, {}],
    ['trust', { minTrustScore: 1 }, { trustScore: -1 }],
    ['age', { maxAgeDays: 30 }, { lastUpdateDate: '' }],
    ['stars', { repoFilters: { minStars: 1 } }, { stars: -1 }],
    ['license', { repoFilters: { allowedLicenses: { add: ['MIT'] } } }, {}],
    ['backlinks', { websiteFilters: { minBacklinks: 5 } }, { sourceType: 'websites' }],
    ['traffic', { websiteFilters: { minOrganicTraffic: 1 } }, { sourceType: 'websites', organicTraffic: -1 }],
  ])('allows a library whose %s is unknown, and reports it', (_, quality, more) => {
    expect(inQuality(quality, more)).toBe(true)
    const change = { libraryFilters: { mode: 'quality', quality } }
    const policy = applyChange(openPolicy(), PolicyChange.parse(change))
    expect(unknownSignals(policy, [library(more), library(more)], now)).toMatchObject([{ libraries: 2 }])
    const resting = applyChange(policy, PolicyChange.parse({ libraryFilters: { mode: null } }))
    expect(unknownSignals(resting, [library(more)], now)).toEqual([])
  })

  test('reports unknown signals only for filters that are set and apply to the library', () => {
    const quality = { minTrustScore: 0, repoFilters: { minStars: 3 }, websiteFilters: { minBacklinks: 5 } }
    const policy = applyChange(openPolicy(), PolicyChange.parse({ libraryFilters: { mode: 'quality', quality } }))
    const libraries = [library(), library({ stars: 2 }), library({ privateTo: 'acme' }), library({ sourceType: 'llmstxt' })]
    expect(unknownSignals(policy, libraries, now)).toEqual([{ filter: 'repoFilters.minStars', libraries: 1 }])
  })

  test('has no requirement with a minimum of 0', () => {
    expect(inQuality({ minTrustScore: 0, repoFilters: { minStars: 0 } }, { trustScore: 0, stars: 0 })).toBe(true)
  })

  test('requires every filter to be passed', () => {
    const both = { minTrustScore: 5, repoFilters: { minStars: 10 } }
    expect(inQuality(both, { trustScore: 5, stars: 9 })).toBe(false)
    expect(inQuality(both, { trustScore: 5, stars: 10 })).toBe(true)
  })

  test('applies filters for websites only to websites', () => {
    expect(inQuality({ websiteFilters: { minBacklinks: 5 } }, { backlinks: 1 })).toBe(true)
  })

  test('applies filters for repositories only to repositories', () => {
    const repo = { minStars: 5, allowedLicenses: { add: ['MIT'] } }
    expect(inQuality({ repoFilters: repo }, { stars: 1, codeLicense: 'GPL-3.0', sourceType: 'websites' })).toBe(true)
    expect(inQuality({ repoFilters: repo }, { stars: 1, codeLicense: 'GPL-3.0', sourceType: 'llmstxt' })).toBe(true)
  })

  test('does not filter sources that are not public', () => {
    expect(inQuality({ minTrustScore: 9 }, { trustScore: 1, sourceType: 'confluence' })).toBe(true)
    expect(inQuality({ minTrustScore: 9 }, { trustScore: 1, privateTo: 'acme' })).toBe(true)
  })

  test.each(['/acme/widgets', '/ACME/Widgets', '/acme'])(
    'hides a blocked library (%s) even if it passes every filter',
    (entry) => {
      expect(inQuality({ blockedLibraries: { add: [entry] } }, { trustScore: 10 })).toBe(false)
    },
  )

  test.each(['/acme/widget', '/acme/widgets2', '/acm', '/widgets', 'acme.com'])(
    'is not affected by a blocked entry for another library: %s',
    (entry) => {
      expect(inQuality({ blockedLibraries: { add: [entry] } })).toBe(true)
    },
  )

  test('blocks a domain with its sites and subdomains', () => {
    const blocks = (entry: string, domain: string) =>
      !inQuality({ blockedLibraries: { add: [entry] } }, { sourceType: 'websites', domain })
    expect(blocks('stripe.com', 'stripe.com')).toBe(true)
    expect(blocks('Stripe.com', 'docs.STRIPE.com')).toBe(true)
    expect(blocks('docs.stripe.com', 'stripe.com')).toBe(false)
    expect(blocks('stripe.com', 'notstripe.com')).toBe(false)
  })

  test('allows an exception in spite of filters, block list and source types', () => {
    const quality = { exceptedLibraries: { add: ['/acme'] }, blockedLibraries: { add: ['/acme/widgets'] }, minTrustScore: 9 }
    expect(inQuality(quality, { trustScore: 1 }, { disable: ['public_repos'] })).toBe(true)
    expect(inQuality(quality, { trustScore: 1, id: '/other/one' })).toBe(false)
  })
})

describe('the select mode', () => {
  test('allows only listed libraries and owners', () => {
    expect(passes(select('/acme/widgets'))).toBe(true)
    expect(passes(select('/acme'))).toBe(true)
    expect(passes(select('/acme/other'))).toBe(false)
    expect(passes({ libraryFilters: { mode: 'select' } })).toBe(false)
  })

  test('ignores the lists of the quality mode, and applies the source types', () => {
    const quality = { blockedLibraries: { add: ['/acme'] }, exceptedLibraries: { add: ['/other'] } }
    expect(passes({ libraryFilters: { ...select('/acme').libraryFilters, quality } })).toBe(true)
    expect(passes({ libraryFilters: { ...select('/acme').libraryFilters, quality } }, { id: '/other/one' })).toBe(false)
    expect(passes({ sourceTypes: { disable: ['public_repos'] }, ...select('/acme') })).toBe(false)
  })
})

test('a policy without a mode applies no filters', () => {
  const quality = { minTrustScore: 9, blockedLibraries: { add: ['/acme'] } }
  expect(passes({ libraryFilters: { mode: null, quality } })).toBe(true)
})

test('two hundred thousand libraries are judged within a second and a half', () => {
  const add = Array.from({ length: 1000 }, (_, i) => `/owner-${i}/repo`)
  const policy = applyChange(
    openPolicy(),
    PolicyChange.parse({
      libraryFilters: {
        mode: 'quality',
        quality: { minTrustScore: 4, maxAgeDays: 90, blockedLibraries: { add }, exceptedLibraries: { add } },
      },
    }),
  )
  const libraries = Array.from({ length: 200_000 }, (_, i) => library({ id: `/owner-${i}/repo`, trustScore: i % 11 }))
  const passing = libraries.filter(allowedBy(policy, now))
  expect(passing.length).toBeGreaterThan(100_000)
})
