/** Rules of one list. */
export const maxRules = 50
export const maxRuleChars = 255
/** Libraries with rules of one teamspace. */
export const maxRuledLibraries = 200
