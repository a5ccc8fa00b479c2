import { AppError, isTransient } from '../errors.ts'
import { isModelCrash } from './local/model-crash.ts'
import { providerStatus } from './provider-refusal.ts'

/** True if the provider asks for fewer requests or is not ready, whatever the texts. */
export const isBusy = (error: unknown): boolean => isTransient(error) && error.code === 'rate_limit_exceeded'

/** True if the provider may be down, or the texts may have brought it down. */
export const isOutage = (error: unknown): boolean =>
  error instanceof AppError && !isBusy(error) && (isTransient(error) || isModelCrash(error))

/**
 * True if the texts of a failed request may be the reason, whatever the status: firewalls answer 403 or a redirect to a text that looks like an
 * attack. Only requests with other texts can tell.
 */
export const mayBeAboutTexts = (error: unknown): error is AppError =>
  isOutage(error) || (!isBusy(error) && providerStatus(error) !== undefined)
