/** The caller of a request hung up, so nobody reads its answer. */
export class HungUp extends Error {
  constructor() {
    super('The caller hung up before the answer.')
    this.name = 'HungUp'
  }
}

/** Aborts with HungUp when the caller of a request hangs up. */
export function callerSignal({ signal }: Request): AbortSignal {
  const controller = new AbortController()
  const hungUp = () => controller.abort(new HungUp())
  if (signal.aborted) hungUp()
  else signal.addEventListener('abort', hungUp, { once: true })
  return controller.signal
}
