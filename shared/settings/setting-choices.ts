import { z } from 'zod'
import { isSetting, type SecretName, type SettingName, Settings } from './settings.ts'

/** The values of a setting that has only a few. */
export function settingChoices(name: SettingName | SecretName): readonly string[] {
  if (!isSetting(name)) return []
  const schema = Settings.shape[name]
  if (schema.parse(undefined) === false) return ['true', 'false']
  const inner = schema.unwrap()
  return inner instanceof z.ZodEnum ? inner.options : []
}
