import type { ListChange } from './list-change.ts'
import { type Policy, sourceTypes } from './policy.ts'
import type { PolicyChange } from './policy-change.ts'

/** What makes one policy the same as another; undefined where it is already. Lists are the same whatever their order and case. */
export function policyDiff(from: Policy, to: Policy): PolicyChange | undefined {
  const types = sourceTypes.filter((type) => from.sourceTypes[type].enabled !== to.sourceTypes[type].enabled)
  const [before, after] = [from.libraryFilters, to.libraryFilters]
  const [old, quality] = [before.quality, after.quality]
  const change = {
    sourceTypes: filled({
      enable: filledList(types.filter((type) => to.sourceTypes[type].enabled)),
      disable: filledList(types.filter((type) => !to.sourceTypes[type].enabled)),
    }),
    libraryFilters: filled({
      mode: before.mode === after.mode ? undefined : after.mode,
      quality: filled({
        ...scalars(old, quality, ['requireVerified', 'minTrustScore', 'maxAgeDays']),
        blockedLibraries: listChange(old.blockedLibraries, quality.blockedLibraries),
        exceptedLibraries: listChange(old.exceptedLibraries, quality.exceptedLibraries),
        repoFilters: filled({
          ...scalars(old.repoFilters, quality.repoFilters, ['minStars']),
          allowedLicenses: listChange(old.repoFilters.allowedLicenses, quality.repoFilters.allowedLicenses),
        }),
        websiteFilters: filled(
          scalars(old.websiteFilters, quality.websiteFilters, ['minBacklinks', 'minReferringDomains', 'minOrganicTraffic']),
        ),
      }),
      select: filled({ allowedLibraries: listChange(before.select.allowedLibraries, after.select.allowedLibraries) }),
    }),
  }
  return filled(change)
}

/** Without its fields that are undefined; undefined where none is left. */
function filled<T extends object>(fields: T): T | undefined {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : (Object.fromEntries(given) as T)
}

const filledList = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list)

const scalars = <T extends object, Name extends keyof T>(from: T, to: T, names: Name[]): Partial<Pick<T, Name>> =>
  Object.fromEntries(names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]])) as Partial<Pick<T, Name>>

function listChange(from: readonly string[], to: readonly string[]): ListChange | undefined {
  const without = (list: readonly string[], others: readonly string[]) => {
    const known = new Set(others.map((each) => each.toLowerCase()))
    return filledList(list.filter((each) => !known.has(each.toLowerCase())))
  }
  return filled({ add: without(to, from), remove: without(from, to) })
}
