import { createElement, type ReactNode } from 'react'
import { fieldMessages } from './api/api-error.ts'
import { MessageText } from './message-text.tsx'

/** The errors of an answer by field, for the `setErrors` of a form, in the words of the UI. Empty if no field is named. */
export const fieldErrors = (error: unknown): Record<string, ReactNode> =>
  Object.fromEntries(Object.entries(fieldMessages(error)).map(([path, text]) => [path, createElement(MessageText, null, text)]))
