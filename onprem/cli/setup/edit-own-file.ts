import type { Edit } from './edit.ts'

/** A file that is ours as a whole. */
export function editOwnFile(content: string): Edit {
  const remove = (text: string) => (text === content ? undefined : text)
  return { add: () => ({ text: content }), remove, isIn: () => true, removeIdentical: remove }
}
