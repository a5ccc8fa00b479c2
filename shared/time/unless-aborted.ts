/**
 * The outcome of work, or the reason of the signal as soon as it is aborted. The work itself continues. A signal that outlives the work
 * keeps no reference to it.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } catch (error) {
    // Work that also listens to the signal may fail first, with another error.
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
