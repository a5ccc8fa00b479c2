import type { Declaration } from '../reference-page.ts'

/**
 * The declarations of a module with the signatures of its stub, and those that only the stub has, such as compiled ones. The documentation is that of
 * the code, if it has any. `stubPath` is the file of the stub.
 */
export function withStub(code: Declaration[], stub: Declaration[], stubPath: string): Declaration[] {
  const byName = new Map(stub.map((each) => [each.name, each]))
  const names = new Set(code.map(({ name }) => name))
  const both = code.map((own) => {
    const typed = byName.get(own.name)
    return typed ? typedAs(own, typed, stubPath) : own
  })
  return [...both, ...stub.filter(({ name }) => !names.has(name)).map((each) => inFile(each, stubPath))]
}

/** Overloads say less to a reader than the one signature that the code has. */
function typedAs(own: Declaration, typed: Declaration, stubPath: string): Declaration {
  return {
    ...own,
    signature: isOverloaded(typed) ? own.signature : typed.signature,
    docs: own.docs.length > 0 ? own.docs : typed.docs.map((piece) => ({ ...piece, file: stubPath })),
    members: withStub(own.members, typed.members, stubPath),
  }
}

const isOverloaded = ({ signature }: Declaration): boolean => (signature.match(/^(?:async )?def /gm) ?? []).length > 1

const inFile = (declaration: Declaration, file: string): Declaration => ({
  ...declaration,
  file,
  members: declaration.members.map((member) => inFile(member, file)),
})
