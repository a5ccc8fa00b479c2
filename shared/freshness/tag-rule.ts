import { z } from 'zod'
import { compareReleases, type Release, readRelease } from '../text/release.ts'

const patternRule = 'must be the name of a tag in which * is any text, such as v*'

/** Which tags of a repository become versions without being named. */
export const TagRule = z
  .strictObject({
    tags: z
      .string()
      .min(1, patternRule)
      .max(200, patternRule)
      .regex(/^[^\s\p{Cc}]+$/u, patternRule)
      .describe('Name of the tags, in which * is any text, such as v* or core@*'),
    keep: z.int().min(1).max(20).default(1).describe('How many of the newest tags of each major version are kept'),
    prereleases: z.boolean().default(false).describe('Whether pre-releases such as v2.0.0-rc.1 become versions'),
  })
  .meta({ id: 'TagRule' })
export type TagRule = z.infer<typeof TagRule>

/** A rule never asks for more versions than this: a repository may have a major version a day. */
const maxRuleTags = 50

const tagPrefix = 'refs/tags/'

type NamedRelease = { tag: string; release: Release }

/** The tags that a rule asks for, newest first. `refs` are the full names of branches and tags. */
export function wantedTags(refs: Iterable<string>, { tags: pattern, keep, prereleases }: TagRule): string[] {
  const isNamed = matcher(pattern)
  const releases: NamedRelease[] = []
  for (const ref of refs) {
    const tag = ref.startsWith(tagPrefix) ? ref.slice(tagPrefix.length) : ''
    const release = tag !== '' && isNamed(tag) ? readRelease(tag) : undefined
    if (release && (prereleases || release.isStable)) releases.push({ tag, release })
  }
  releases.sort((a, b) => compareReleases(b.release, a.release))
  return [...Map.groupBy(releases, ({ release }) => `${release.series}\n${release.numbers[0]}`).values()]
    .flatMap((ofMajor) => ofMajor.slice(0, keep))
    .sort((a, b) => compareReleases(b.release, a.release))
    .slice(0, maxRuleTags)
    .map(({ tag }) => tag)
}

/** Equal for the versions of one major version of a package. Undefined for a name without a number. */
export function majorOf(tag: string): string | undefined {
  const release = readRelease(tag)
  return release && `${release.series}\n${release.numbers[0]}`
}

/** Takes time linear in the name, whatever the pattern. */
function matcher(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return (name) => name === pattern
  return (name) => {
    if (!name.startsWith(first)) return false
    let at = first.length
    for (const part of others) {
      const found = name.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return name.length >= at + last.length && name.endsWith(last)
  }
}
