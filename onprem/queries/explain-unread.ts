import { AppError } from '../../shared/errors.ts'
import { UnusablePath } from '../../shared/system/machine-error.ts'
import type { Caller } from '../access/caller.ts'
import type { DataPaths } from '../store/data-dir/data-paths.ts'

/**
 * The error of a question whose content cannot be read because this user cannot use the folder of the snippets: a refresh would not help.
 * Only callers with a key or session see the path. Returns other errors unchanged.
 */
export function explainUnread(
  { paths }: { paths: Pick<DataPaths, 'unreadSnippets'> },
  { holder }: Pick<Caller, 'holder'>,
  error: unknown,
): unknown {
  const sentence = paths.unreadSnippets(error)
  if (sentence === undefined) return error
  return holder === undefined
    ? new UnusablePath(sentence, error).withoutPath
    : new AppError('data_damaged', sentence, { cause: error })
}
