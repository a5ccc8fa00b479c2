import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import type { NotificationChannel } from '../../../../shared/settings/notification-names.ts'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { Conflict } from '../../../../shared/web/api/change-state.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { changeSettings } from '../../api/change-settings.ts'
import type { SettingName, ShownSettings } from '../../api/queries.ts'
import { useSettingsOfTabs } from '../../api/use-settings-of-tabs.ts'
import { secretsToDrop } from './secrets-to-drop.ts'

/** A service that can be tested. */
type Service = 'llm' | 'rerank' | 'embedding' | 'github' | 'gitlab' | 'git.hosts' | 'confluence' | NotificationChannel
type Draft = Partial<Record<SettingName, string>>

/**
 * A form over some settings. Only changes are sent; an empty text clears a setting. `loaded` stays that of the first change, on which they are
 * based.
 */
export function useSettingsDraft(settings: ShownSettings, services: readonly Service[], onSaved?: () => void) {
  /** Settings that other tabs have saved since the first change. */
  const [savedByOthers, setSavedByOthers] = useState<readonly string[]>([])
  const announce = useSettingsOfTabs((names) => setSavedByOthers((before) => [...before, ...names]))
  const [draft, setDraft] = useState<Draft>({})
  const [loaded, setLoaded] = useState(settings)
  const isChanged = Object.keys(draft).length > 0
  useUnsavedChanges(isChanged)
  const base = isChanged ? loaded : settings
  const changes = Object.fromEntries(
    Object.entries(draft).map(([name, text = '']) => [name, text.trim() === '' ? null : asSent(name, text)]),
  )
  const save = useMutation({
    meta: { done: 'Settings saved.' },
    mutationFn: () => changeSettings(base, changes),
    onSuccess: () => {
      announce(Object.keys(changes))
      // `onSaved` may open another page, which changes that are not saved would prevent.
      flushSync(() => setDraft({}))
      onSaved?.()
    },
  })
  const testOne = (only: Service) => answerOf(api.settings.test.$post({ query: { only }, json: changes }))
  const test = useMutation({
    mutationFn: async () =>
      Object.assign({}, ...(await Promise.all(services.map(testOne)))) as Awaited<ReturnType<typeof testOne>>,
  })
  const errors = { ...fieldErrors(test.error), ...fieldErrors(save.error) }
  const put = (change: (before: Draft) => Draft) => {
    if (!isChanged) {
      setLoaded(settings)
      setSavedByOthers([])
    }
    setDraft(change)
    save.reset()
    // The result was that of the values before.
    test.reset()
  }
  const without = (name: SettingName) => (before: Draft) => {
    const { [name]: _, ...rest } = before
    return rest
  }
  const rejected = save.error instanceof Conflict ? save.error.names : []
  const conflicts = Object.keys(changes).filter((name) => savedByOthers.includes(name) || rejected.includes(name))
  return {
    base,
    isChanged,
    changes,
    save,
    test,
    /** Settings that this form changes and that another tab has saved, or of which the server says that they have changed. */
    conflicts,
    /** Secrets that saving deletes, because their address changes. */
    drops: secretsToDrop(base, changes),
    value: (name: SettingName): string => draft[name] ?? textOf(base[name]),
    error: (name: SettingName): ReactNode => errors[name],
    set: (name: SettingName, text: string) =>
      put((before) => (text === textOf(base[name]) ? without(name)(before) : { ...before, [name]: text })),
    /** Removes a stored secret, whose own text is empty too. */
    remove: (name: SettingName) => put((before) => ({ ...before, [name]: '' })),
    keep: (name: SettingName) => put(without(name)),
    /** Shows the stored values of settings that have changed meanwhile. The other changes of the form stay. */
    reload() {
      setDraft(Object.fromEntries(Object.entries(draft).filter(([name]) => !conflicts.includes(name))))
      setLoaded(settings)
      setSavedByOthers([])
      save.reset()
      test.reset()
    },
  }
}
export type SettingsDraft = ReturnType<typeof useSettingsDraft>

/** Spaces around a password may be part of it. */
const asSent = (name: string, text: string): string => (name === 'notifications.smtpPassword' ? text : text.trim())

/** A list as people write it. A secret has no text: it can only be replaced. */
function textOf(value: unknown): string {
  // The list `git.hosts` holds more than texts.
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(', ') : JSON.stringify(value)
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
}
