import { AppError } from '../../errors.ts'

const crashes = new WeakSet<AppError>()

/** Marks the error of a model that ended while it read texts, perhaps because of them. */
export function modelCrash(error: AppError): AppError {
  crashes.add(error)
  return error
}

export const isModelCrash = (error: unknown): boolean => error instanceof AppError && crashes.has(error)
