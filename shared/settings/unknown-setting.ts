import { AppError } from '../errors.ts'
import { editDistance } from '../text/edit-distance.ts'
import { secretNames, settingNames } from './settings.ts'

/** The error for an unknown setting. Suggests similar names, and names that end like this one. */
export function unknownSetting(name: string): AppError {
  const asked = name.toLowerCase().slice(0, 60)
  const farthest = Math.max(2, Math.floor(asked.length / 4))
  const distance = (known: string) =>
    known.toLowerCase().endsWith(`.${asked}`) ? 0 : editDistance(known.toLowerCase(), asked, farthest)
  const near = [...settingNames, ...secretNames].filter((known) => distance(known) <= farthest)
  const meant = near.sort((a, b) => distance(a) - distance(b)).slice(0, 3)
  const question = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : '.'
  const path = name.slice(0, 60)
  const fields = [{ path, message: `is not a setting${question}`.replace(/\.$/, '') }]
  return new AppError('validation_error', `There is no setting "${path}"${question}`, { fields: { fields } })
}
