/** What `put` of a stream throws where the event is certainly not on it. Of any other error nobody knows. */
export const refusedEvent = (cause: unknown): Error =>
  Object.assign(new Error('The stream refused the event.', { cause }), { refused: true })

export const isRefused = (thrown: unknown): boolean => thrown instanceof Error && 'refused' in thrown && thrown.refused === true
