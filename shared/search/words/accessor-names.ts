/** The words that people use for an action, by the verbs that programs name it with. */
const spoken: Record<string, string> = {
  get: 'access fetch find load obtain read receive retrieve',
  set: 'assign change define override save store update write',
  create: 'build generate initialize instantiate make new start',
  delete: 'clear erase forget reset unset',
  remove: 'clear delete detach drop erase unregister',
  add: 'append attach insert register',
}

const verbs = new Map<string, string[]>()
for (const [verb, words] of Object.entries(spoken))
  for (const word of words.split(' ')) verbs.set(word, [...(verbs.get(word) ?? []), verb])

/** The names that an identifier for an action on a thing may have: `getcookie` for `read` and `cookie`. */
export const accessorNames = (action: string, thing: string): string[] =>
  (verbs.get(action) ?? []).map((verb) => `${verb}${thing}`)
