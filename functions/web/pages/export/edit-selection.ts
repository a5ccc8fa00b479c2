import { ifMatch, stateOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { api } from '../../api/api.ts'
import { readSelection, type Selection } from './export-queries.ts'

/** A change of a list of library ids, which can be repeated over a newer list. */
export type Edit = (libraries: string[]) => string[]

/** Changes that others have made of a selection since it was read. */
export type Others = { added: string[]; removed: string[] }

const maxTries = 5

/**
 * Makes a change of a selection. If another tab or member has changed it since it was read, the change is repeated over theirs, so that
 * neither is lost. Throws ApiError.
 */
export async function editSelection(team: string, shown: Selection, edit: Edit): Promise<{ saved: Selection; others: Others }> {
  let base = shown
  for (let tries = 1; ; tries++) {
    try {
      const saved = await putSelection(team, { ...base, libraries: edit(idsOf(base)) }, base.etag)
      return { saved, others: changesBetween(idsOf(shown), idsOf(base)) }
    } catch (error) {
      if (!isOutdated(error) || tries >= maxTries) throw error
      base = await readSelection(team, shown.id)
    }
  }
}

/** Throws ApiError: if `etag` is that of an older state, nothing is saved. */
export const putSelection = (
  team: string,
  { id, name, libraries }: { id: string; name: string; libraries: string[] },
  etag?: string,
): Promise<Selection> =>
  stateOf(
    api.teamspaces[':team'].selections[':id'].$put(
      { param: { team, id }, json: { name, libraries } },
      etag === undefined ? undefined : ifMatch(etag),
    ),
  )

export const idsOf = ({ libraries }: Pick<Selection, 'libraries'>): string[] => libraries.map(({ id }) => id)

const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.code === 'precondition_failed'

const changesBetween = (before: string[], after: string[]): Others => ({
  added: after.filter((id) => !before.includes(id)),
  removed: before.filter((id) => !after.includes(id)),
})
