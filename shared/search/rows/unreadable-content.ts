import { AppError } from '../../errors.ts'

/** Content that cannot be read and must be replaced. A library that was imported cannot be refreshed. */
export class UnreadableContent extends AppError {
  /** The message for a library that was imported. */
  readonly ofImported: string

  constructor(code: 'search_failed' | 'data_damaged', why: string, advice: { parsed: string; imported: string }) {
    super(code, `${why} ${advice.parsed}`)
    this.ofImported = `${why} ${advice.imported}`
  }
}
