/** The text with a full stop, unless it ends like a sentence. Messages of git and providers often lack one. */
export const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
