import { AppError } from '../../errors.ts'
import { type DocumentLanguages, describeLanguages, describeMissing } from '../../reading/discover/languages/choose-languages.ts'
import type { Selection } from '../../reading/discover/selection.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'

type Settings = Pick<Selection, 'languages'> & { applied?: Pick<Selection, 'languages'> }

/** The languages that a request names and the last job did not read with: they must exist. */
export function requiredLanguages(requested: string[] | undefined, settings: Settings): string[] {
  const known = new Set((settings.applied ?? settings).languages)
  return (requested ?? []).filter((code) => !known.has(code))
}

/** Throws tag_not_found, whose `fields` have the position among the required ones, with the languages that exist. */
export function rejectMissingLanguages(languages: DocumentLanguages, required: string[] | undefined): void {
  const fields = (required ?? []).flatMap((code, i) =>
    languages.missing.includes(code) ? [{ path: `languages.${i}`, message: describeMissing(code, languages) }] : [],
  )
  if (fields.length === 0) return
  const message = `${fields.map((each) => each.message).join(' ')} Nothing was changed.`
  throw new AppError('tag_not_found', message, { fields: { fields } })
}

/** The languages as a report lists them. */
export function languagesSkipped(languages: DocumentLanguages): Skipped[] {
  const summary = describeLanguages(languages)
  return [
    ...(summary === undefined ? [] : [{ path: 'languages', reason: summary }]),
    ...languages.missing.map((code) => ({ path: `languages: ${code}`, reason: describeMissing(code, languages) })),
  ]
}
