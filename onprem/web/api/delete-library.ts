import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { countOf } from '../../../shared/web/format.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { api } from './api.ts'
import { queryClient } from './query-client.ts'

/** The time in which a toast with an action is shown. */
const undoSeconds = 10

/** Deletes a library or a version, `/owner/repo` or `/owner/repo@version`, with a toast that undoes it. */
export const deleteLibrary = (id: string): Promise<void> => deleteLibraries([id])

/** Deletes libraries one after the other, with one toast that undoes all. Throws at the first that cannot be deleted. */
export async function deleteLibraries(ids: readonly string[]): Promise<void> {
  const undoable: string[] = []
  let deleted = 0
  try {
    for (const id of ids) {
      const param = { id: pathOf(id) }
      const answer = await answerOf(api.projects[':id{.+}'].$delete({ param, query: { undo: String(undoSeconds) } }))
      deleted++
      if (answer.undoSeconds !== undefined) undoable.push(id)
    }
  } finally {
    const undo = { label: 'Undo', run: () => void restoreLibraries(undoable) }
    if (deleted > 0)
      void showToast({ message: `${namesOf(ids.slice(0, deleted))} deleted.`, ...(undoable.length > 0 && { action: undo }) })
  }
}

async function restoreLibraries(ids: readonly string[]): Promise<void> {
  const restored = Promise.all(ids.map((id) => answerOf(api.projects[':id{.+}'].restore.$post({ param: { id: pathOf(id) } }))))
  const message = await restored.then(
    () => `${namesOf(ids)} restored.`,
    (error: Error) => error.message,
  )
  void showToast({ message })
  await queryClient.invalidateQueries({ queryKey: ['libraries'] })
}

const namesOf = (ids: readonly string[]): string => (ids.length === 1 ? `${ids[0]}` : countOf(ids.length, 'library', 'libraries'))

const pathOf = (id: string): string => id.slice(1).split('@').map(encodeVersion).join('@')
const encodeVersion = (part: string, at: number): string => (at === 0 ? part : encodeURIComponent(part))
