import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { api } from './api.ts'
import { queryClient } from './query-client.ts'

/** The time in which a toast with an action is shown. */
const undoSeconds = 10

/** Deletes a library or a version, `/owner/repo` or `/owner/repo@version`, with a toast that undoes it. */
export async function deleteLibrary(id: string): Promise<void> {
  const param = { id: pathOf(id) }
  const deleted = await answerOf(api.projects[':id{.+}'].$delete({ param, query: { undo: String(undoSeconds) } }))
  const undo = { label: 'Undo', run: () => void restoreLibrary(id) }
  void showToast({ message: `${id} deleted.`, ...(deleted.undoSeconds !== undefined && { action: undo }) })
}

async function restoreLibrary(id: string): Promise<void> {
  const restored = answerOf(api.projects[':id{.+}'].restore.$post({ param: { id: pathOf(id) } }))
  const message = await restored.then(
    () => `${id} restored.`,
    (error: Error) => error.message,
  )
  void showToast({ message })
  await queryClient.invalidateQueries({ queryKey: ['libraries'] })
}

const pathOf = (id: string): string => id.slice(1).split('@').map(encodeVersion).join('@')
const encodeVersion = (part: string, at: number): string => (at === 0 ? part : encodeURIComponent(part))
