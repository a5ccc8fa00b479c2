import { AppError } from '../errors.ts'
import { editDistance } from '../text/edit-distance.ts'
import { secretNames, settingNames } from './settings.ts'

/** The error for an unknown setting. Suggests similar names, and names that end like this one. */
export function unknownSetting(name: string): AppError {
  const requested = name.toLowerCase().slice(0, 60)
  const maxDistance = Math.max(2, Math.floor(requested.length / 4))
  const distance = (known: string) =>
    known.toLowerCase().endsWith(`.${requested}`) ? 0 : editDistance(known.toLowerCase(), requested, maxDistance)
  const similar = [...settingNames, ...secretNames].filter((known) => distance(known) <= maxDistance)
  const suggestions = similar.sort((a, b) => distance(a) - distance(b)).slice(0, 3)
  const question = suggestions.length > 0 ? `; did you mean ${suggestions.join(', ')}?` : '.'
  const path = name.slice(0, 60)
  const fields = [{ path, message: `is not a setting${question}`.replace(/\.$/, '') }]
  return new AppError('validation_error', `There is no setting "${path}"${question}`, { fields: { fields } })
}
