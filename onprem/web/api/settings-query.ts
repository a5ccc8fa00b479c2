import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './api.ts'

const readSettings = () => answerOf(api.settings.$get())

/** Every setting by its name. */
export const settingsQuery = queryOptions({ queryKey: ['settings'], queryFn: readSettings })

export type ShownSettings = Awaited<ReturnType<typeof readSettings>>
export type SettingName = keyof ShownSettings
