/** The caller closed the connection, so nobody reads the response. */
export class CallerDisconnected extends Error {
  constructor() {
    super('The caller disconnected before the response.')
    this.name = 'CallerDisconnected'
  }
}

/** Aborts with CallerDisconnected when the caller of a request disconnects. */
export function callerSignal({ signal }: Request): AbortSignal {
  const controller = new AbortController()
  const onAbort = () => controller.abort(new CallerDisconnected())
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return controller.signal
}
