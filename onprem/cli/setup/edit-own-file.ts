import type { Edit } from './edit.ts'

/** A file that is ours as a whole. */
export const editOwnFile = (content: string): Edit => ({
  add: () => content,
  remove: (text) => (text === content ? undefined : text),
})
