import { AppError } from '../errors.ts'
import { similarNames } from '../text/similar-names.ts'
import { secretNames, settingNames } from './settings.ts'

/** The error for an unknown setting. Suggests similar names, and names that end like this one. */
export function unknownSetting(name: string): AppError {
  const suggestions = similarNames(name, [...settingNames, ...secretNames])
  const question = suggestions.length > 0 ? `; did you mean ${suggestions.join(', ')}?` : '.'
  const path = name.slice(0, 60)
  const fields = [{ path, message: `is not a setting${question}`.replace(/\.$/, '') }]
  return new AppError('validation_error', `There is no setting "${path}"${question}`, { fields: { fields } })
}
