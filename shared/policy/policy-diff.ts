import type { ListChange } from './list-change.ts'
import type { Policy } from './policy.ts'
import type { PolicyChange } from './policy-change.ts'
import { sourceTypes } from './source-types.ts'

/** The change from one policy to another. Undefined if they are equal. Ignores order and case in lists. */
export function policyDiff(from: Policy, to: Policy): PolicyChange | undefined {
  const types = sourceTypes.filter((type) => from.sourceTypes[type].enabled !== to.sourceTypes[type].enabled)
  const [before, after] = [from.libraryFilters, to.libraryFilters]
  const [old, quality] = [before.quality, after.quality]
  const change = {
    sourceTypes: withoutUndefined({
      enable: nonEmpty(types.filter((type) => to.sourceTypes[type].enabled)),
      disable: nonEmpty(types.filter((type) => !to.sourceTypes[type].enabled)),
    }),
    libraryFilters: withoutUndefined({
      mode: before.mode === after.mode ? undefined : after.mode,
      quality: withoutUndefined({
        ...scalars(old, quality, ['requireVerified', 'minTrustScore', 'maxAgeDays']),
        blockedLibraries: listChange(old.blockedLibraries, quality.blockedLibraries),
        exceptedLibraries: listChange(old.exceptedLibraries, quality.exceptedLibraries),
        repoFilters: withoutUndefined({
          ...scalars(old.repoFilters, quality.repoFilters, ['minStars']),
          allowedLicenses: listChange(old.repoFilters.allowedLicenses, quality.repoFilters.allowedLicenses),
        }),
        websiteFilters: withoutUndefined(
          scalars(old.websiteFilters, quality.websiteFilters, ['minBacklinks', 'minReferringDomains', 'minOrganicTraffic']),
        ),
      }),
      select: withoutUndefined({ allowedLibraries: listChange(before.select.allowedLibraries, after.select.allowedLibraries) }),
    }),
  }
  return withoutUndefined(change)
}

/** Omits undefined fields. Undefined if none is left. */
function withoutUndefined<T extends object>(fields: T): T | undefined {
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined)
  return definedFields.length === 0 ? undefined : (Object.fromEntries(definedFields) as T)
}

const nonEmpty = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list)

const scalars = <T extends object, Name extends keyof T>(from: T, to: T, names: Name[]): Partial<Pick<T, Name>> =>
  Object.fromEntries(names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]])) as Partial<Pick<T, Name>>

function listChange(from: readonly string[], to: readonly string[]): ListChange | undefined {
  const without = (list: readonly string[], others: readonly string[]) => {
    const lowerCased = new Set(others.map((each) => each.toLowerCase()))
    return nonEmpty(list.filter((each) => !lowerCased.has(each.toLowerCase())))
  }
  return withoutUndefined({ add: without(to, from), remove: without(from, to) })
}
