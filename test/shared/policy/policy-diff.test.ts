import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPolicy, type Policy } from '../../../shared/policy/policy.ts'
import { applyChange, PolicyChange } from '../../../shared/policy/policy-change.ts'
import { policyDiff } from '../../../shared/policy/policy-diff.ts'
import { sourceTypes } from '../../../shared/policy/source-types.ts'

const libraries = fc.uniqueArray(fc.constantFrom('/a', '/A/b', '/a/c', '/x/y', 'example.com', 'Docs.example.com'))
const minimum = fc.option(fc.nat({ max: 9 }))
const policies: fc.Arbitrary<Policy> = fc.record({
  sourceTypes: fc.record(
    Object.fromEntries(sourceTypes.map((type) => [type, fc.record({ enabled: fc.boolean() })])) as never,
  ) as fc.Arbitrary<Policy['sourceTypes']>,
  libraryFilters: fc.record({
    mode: fc.constantFrom('quality' as const, 'select' as const, null),
    quality: fc.record({
      requireVerified: fc.boolean(),
      minTrustScore: minimum,
      maxAgeDays: fc.option(fc.integer({ min: 1, max: 99 })),
      blockedLibraries: libraries,
      exceptedLibraries: libraries,
      repoFilters: fc.record({
        minStars: minimum,
        allowedLicenses: fc.uniqueArray(fc.constantFrom('MIT', 'Apache-2.0', '0BSD')),
      }),
      websiteFilters: fc.record({ minBacklinks: minimum, minReferringDomains: minimum, minOrganicTraffic: minimum }),
    }),
    select: fc.record({ allowedLibraries: libraries }),
  }),
})

/** Lists as sets. */
const shape = (policy: Policy) =>
  JSON.parse(JSON.stringify(policy), (_, value) =>
    Array.isArray(value) ? value.map((each) => each.toLowerCase()).sort() : value,
  )

test('the difference of two policies is a valid change that turns one into the other', () => {
  fc.assert(
    fc.property(policies, policies, (from, to) => {
      const change = policyDiff(from, to)
      const made = change === undefined ? from : applyChange(from, PolicyChange.parse(JSON.parse(JSON.stringify(change))))
      expect(shape(made)).toEqual(shape(to))
      expect(policyDiff(made, to)).toBeUndefined()
    }),
  )
})

test('equal policies have no difference', () => {
  expect(policyDiff(openPolicy(), openPolicy())).toBeUndefined()
})
