/** True if a list such as that in NO_PROXY has the host of an address or a domain of it, perhaps with a port. */
export function isInNoProxy(list: string, url: string): boolean {
  const { hostname, port, protocol } = new URL(url)
  const reached = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name = '', only = reached] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? []
      return name === '*' || (name !== '' && only === reached && `.${hostname}`.endsWith(`.${name}`))
    })
}
