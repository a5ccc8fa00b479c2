/** A person as the issuer describes them. `email` is verified. */
export type Identity = { issuer: string; sub: string; email: string; name: string }

/** `id` is derived from the issuer and its subject, so an address that is given to another person leads to another user. */
export type User = { id: string; email: string; name: string; createdAt: string }

export type Users = {
  /** Creates the user of an identity, or updates address and name. Throws forbidden if another user has the address. */
  signIn(identity: Identity): Promise<User>
  get(id: string): Promise<User | undefined>
  /** The users with these ids, in no order, in one read for a hundred of them. Unknown ones are left out. */
  getEach(ids: string[]): Promise<User[]>
  /** Frees the address, too. A later sign-in of the same identity creates the user again, with the same id. */
  remove(id: string): Promise<void>
}
