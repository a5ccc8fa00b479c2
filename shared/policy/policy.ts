import { z } from 'zod'

export const policyRules = {
  mode: z.enum(['quality', 'select']).nullable(),
  requireVerified: z.boolean(),
  minTrustScore: z.int().min(0).max(10).nullable(),
  maxAgeDays: z.int().min(1).max(36_500).nullable().describe('Days since the last update'),
  minimum: z.int().min(0).max(1_000_000_000_000).nullable(),
}

const { minimum } = policyRules
const toggle = z.object({ enabled: z.boolean() })
const libraries = z.array(z.string()).describe('/owner/repo, /owner or a domain')

/** The libraries that an install may reach at the hosted service. */
export const Policy = z
  .object({
    sourceTypes: z.object({
      public_repos: toggle,
      private_sources: toggle,
      confluence: toggle,
      uploaded_files: toggle,
      websites: toggle,
      llmstxt: toggle,
    }),
    libraryFilters: z.object({
      mode: policyRules.mode.describe('quality: libraries that pass every filter; select: listed libraries; null: all libraries'),
      quality: z.object({
        requireVerified: policyRules.requireVerified,
        minTrustScore: policyRules.minTrustScore,
        maxAgeDays: policyRules.maxAgeDays,
        blockedLibraries: libraries,
        exceptedLibraries: libraries,
        repoFilters: z.object({
          minStars: minimum,
          allowedLicenses: z.array(z.string()).describe('SPDX ids; empty for any'),
        }),
        websiteFilters: z.object({ minBacklinks: minimum, minReferringDomains: minimum, minOrganicTraffic: minimum }),
      }),
      select: z.object({ allowedLibraries: libraries }),
    }),
  })
  .meta({ id: 'Policy' })
export type Policy = z.infer<typeof Policy>

/** The default policy, which allows everything. */
export const openPolicy = (): Policy => ({
  sourceTypes: {
    public_repos: { enabled: true },
    private_sources: { enabled: true },
    confluence: { enabled: true },
    uploaded_files: { enabled: true },
    websites: { enabled: true },
    llmstxt: { enabled: true },
  },
  libraryFilters: {
    mode: null,
    quality: {
      requireVerified: false,
      minTrustScore: null,
      maxAgeDays: null,
      blockedLibraries: [],
      exceptedLibraries: [],
      repoFilters: { minStars: null, allowedLicenses: [] },
      websiteFilters: { minBacklinks: null, minReferringDomains: null, minOrganicTraffic: null },
    },
    select: { allowedLibraries: [] },
  },
})

/** The values of a policy by their paths, such as `libraryFilters.mode`. */
export const policyValues = ({ sourceTypes, libraryFilters }: Policy): Record<string, unknown> =>
  Object.fromEntries(leavesOf({ sourceTypes, libraryFilters }))

const leavesOf = (fields: object, path = ''): [path: string, value: unknown][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value, `${path}${name}.`)
      : [[path + name, value] as [string, unknown]],
  )
