const name = 'carrel-signed-in'

/** Tells the other tabs of this browser that somebody is signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage('signed in')
  channel.close()
}

/** Calls `listener` when another tab announces it. Returns a function that ends it. */
export function onSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', listener)
  return () => channel.close()
}
