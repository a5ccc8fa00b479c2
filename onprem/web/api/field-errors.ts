import { ApiError } from './api-error.ts'

/** The errors of an answer by field, for the `setErrors` of a form. Empty if no field is named. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof ApiError ? Object.fromEntries(error.fields.map(({ path, message }) => [path, sentence(message)])) : {}

/** "must not be empty" → "Must not be empty" */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
