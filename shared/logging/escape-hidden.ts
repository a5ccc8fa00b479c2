/** Characters that no program of a person shows, or that a terminal obeys. JSON escapes the other control characters itself. */
const hidden = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Writes hidden characters as escapes of JSON: `\u202e`. */
export const escapeHidden = (text: string): string =>
  text.replace(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
