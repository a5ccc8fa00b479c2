import { AppError } from '../errors.ts'
import { isModelCrash } from './local/model-crash.ts'
import { isRefusal } from './provider-refusal.ts'

/** True if the provider asks for fewer requests or is not ready, whatever the texts. */
export const isBusy = (error: unknown): boolean =>
  error instanceof AppError && error.transient && error.code === 'rate_limit_exceeded'

/** True if the texts of a failed request may be the reason. Only requests with other texts can tell. */
export const mayBeAboutTexts = (error: unknown): error is AppError =>
  error instanceof AppError && !isBusy(error) && (error.transient || isRefusal(error) || isModelCrash(error))
