import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf, api } from '../../api/api.ts'
import { changeSettings, SettingsConflict } from '../../api/change-settings.ts'
import { fieldErrors } from '../../api/field-errors.ts'
import type { SettingName, ShownSettings } from '../../api/settings-query.ts'

/** What a test connects to. */
type Service = 'llm' | 'embedding' | 'github' | 'gitlab'
type Draft = Partial<Record<SettingName, string>>

/**
 * A form over some settings. Only what was changed is sent; an empty text clears a setting. `loaded` stays that of the first change, so that a
 * change of another tab meanwhile is found when the form is saved.
 */
export function useSettingsDraft(settings: ShownSettings, services: readonly Service[], onSaved?: (dropped: string[]) => void) {
  const [draft, setDraft] = useState<Draft>({})
  const [loaded, setLoaded] = useState(settings)
  const isChanged = Object.keys(draft).length > 0
  const base = isChanged ? loaded : settings
  const changes = Object.fromEntries(Object.entries(draft).map(([name, text]) => [name, text.trim() === '' ? null : text.trim()]))
  const save = useMutation({
    mutationFn: () => changeSettings(base, changes),
    onSuccess: (answer) => {
      setDraft({})
      onSaved?.(droppedOf(base, answer, changes))
    },
  })
  const testOne = (only: Service) => answerOf(api.settings.test.$post({ query: { only }, json: changes }))
  const test = useMutation({
    mutationFn: async () =>
      Object.assign({}, ...(await Promise.all(services.map(testOne)))) as Awaited<ReturnType<typeof testOne>>,
  })
  const errors = { ...fieldErrors(test.error), ...fieldErrors(save.error) }
  return {
    base,
    isChanged,
    changes,
    save,
    test,
    conflict: save.error instanceof SettingsConflict,
    value: (name: SettingName): string => draft[name] ?? textOf(base[name]),
    error: (name: SettingName): string | undefined => errors[name],
    set(name: SettingName, text: string) {
      if (!isChanged) setLoaded(settings)
      setDraft((before) => {
        const { [name]: _, ...rest } = before
        return text === textOf(base[name]) ? rest : { ...rest, [name]: text }
      })
      save.reset()
    },
    /** Forgets all changes. */
    reset() {
      setDraft({})
      save.reset()
      test.reset()
    },
  }
}
export type SettingsDraft = ReturnType<typeof useSettingsDraft>

const secrets = ['github.token', 'gitlab.token', 'llm.apiKey', 'embedding.apiKey'] as const

/** The secrets that a change of their address has deleted. */
const droppedOf = (before: ShownSettings, after: ShownSettings, changes: object): string[] =>
  secrets.filter((name) => before[name] !== null && after[name] === null && !(name in changes))

/** A secret has no text: it can only be replaced. */
const textOf = (value: unknown): string =>
  value === null || value === undefined || typeof value === 'object' ? '' : String(value)
