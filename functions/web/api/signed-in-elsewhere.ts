const name = 'carrel-signed-in'

/** Tells the other tabs of this browser that somebody has signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage('signed in')
  channel.close()
}

/** Calls `listener` when somebody has signed in in another tab. Returns a function that ends it. */
export function onSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', listener)
  return () => channel.close()
}
