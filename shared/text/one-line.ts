/** Untrusted text without line breaks, which could fake another line. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
