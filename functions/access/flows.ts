/** A sign-in that has begun: what the issuer's response must match, and the page that follows. */
export type Flow = { verifier: string; state: string; nonce: string; next: string }

export type Flows = {
  /** The token is returned only here, for the cookie of the browser that signs in. */
  begin(flow: Flow): Promise<{ token: string; endsAt: Date }>
  /** Returns a flow once. Undefined if there is none, it was taken, or it has ended. */
  take(token: string): Promise<Flow | undefined>
}
