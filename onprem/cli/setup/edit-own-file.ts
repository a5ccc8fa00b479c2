import type { Edit } from './edit.ts'

/** A file that is ours as a whole. */
export const ownFileEdit = (content: string): Edit => ({
  add: () => content,
  remove: (text) => (text === content ? undefined : text),
})
